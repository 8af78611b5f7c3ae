// Sound files, through libsndfile.
#include "fuzz.h"

#include "core/report.h"
#include "sound/sound.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cli_sound sound = {0};
    const char *path = fuzz_file(data, size);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    FUZZ_CHECK(file >= 0);
    cli_sound header = {0};
    int code = cli_sound_read("fuzz", path, file, false, &sound), of_header = cli_sound_read("fuzz", path, file, true, &header);
    close(file);
    free(header.samples);
    FUZZ_CHECK(of_header == CLI_DONE || of_header == CLI_INPUT_OUTPUT);
    FUZZ_CHECK(code != CLI_DONE || of_header == CLI_DONE);
    FUZZ_CHECK(code == CLI_DONE || code == CLI_INPUT_OUTPUT);
    if (code == CLI_DONE) {
        const mst_layout *layout = &sound.layout;
        size_t n = layout->shape[0] * layout->shape[1];
        volatile float last = 0;
        FUZZ_CHECK(layout->type == MST_FLOAT32 && layout->rank == 2 && layout->shape[0] > 0);
        FUZZ_CHECK(layout->shape[0] == header.layout.shape[0] && layout->shape[1] == header.layout.shape[1]);
        FUZZ_CHECK(layout->strides[0] == 1 && layout->strides[1] == (ptrdiff_t)layout->shape[0]);
        for (size_t i = 0; i < n; i++)
            last = sound.samples[i];
        (void)last;
    }
    free(sound.samples);
    return 0;
}
