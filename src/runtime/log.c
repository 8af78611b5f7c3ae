#include "context.h"

#include "text/c_locale.h"

void mst_log(mst_context *context, mst_log_level level, const char *format, ...) {
    char line[1024];
    va_list arguments;
    if (!context->log)
        return;
    va_start(arguments, format);
    mst_vprint(line, sizeof line, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&context->lead->log_mutex);
    context->log(level, line, context->log_user);
    pthread_mutex_unlock(&context->lead->log_mutex);
}
