#ifndef MASTABA_CLI_COUNT_H
#define MASTABA_CLI_COUNT_H

#define CLI_COUNT(table) (sizeof(table) / sizeof(table)[0])

#endif
