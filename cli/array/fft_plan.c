// mastaba fft: its help, and the plan that --dry-run prints.
#include "fft_plan.h"

#include "core/json.h"
#include "core/text.h"

#include <stdio.h>

const char fft_details[] = "Transforms along --axes, as numpy.fft does; all other axes are batch. Any length.\n"
                           "OUT is in single precision if IN is float32 or complex64, otherwise in double.\n"
                           "The array may be larger than the device and than RAM. OUT appears only when it is\n"
                           "whole.\n"
                           "\n"
                           "--real transforms real numbers to results 0 .. n/2 along the last of --axes, which\n"
                           "determine the others (NumPy's rfft, rfftn; IN may be a sound), and with --inverse\n"
                           "back to --length real numbers (irfft, irfftn; default: 2 (m - 1) for m elements;\n"
                           "a longer spectrum is cropped, a shorter one padded with zeros, in a copy).\n"
                           "Without it, real numbers are made complex first, by way of OUT's file.\n"
                           "\n"
                           "--shift: frequency 0 in the middle of the spectrum, along all of --axes but the\n"
                           "halved one: fftshift of OUT, and with --inverse, ifftshift of IN. After or before\n"
                           "the transform it is one more pass over the file, more if a line exceeds 32 MiB.\n"
                           "\n"
                           "--dct and --dst: cosine and sine transforms of real numbers, of type 1 to 4, as\n"
                           "scipy.fft.dct, dst, dctn and dstn; OUT is real. n of a length m is then 2 m, of type\n"
                           "1 2 (m - 1) or 2 (m + 1), and --norm ortho makes the transform orthogonal.\n"
                           "\n"
                           "With n the product of the transformed lengths, results are multiplied by\n"
                           "  --norm     backward     ortho       forward\n"
                           "  forward    1            1/sqrt(n)   1/n\n"
                           "  inverse    1/n          1/sqrt(n)   1\n"
                           "\n"
                           "Example: the two-dimensional transform of every image of a stack, and back\n"
                           "  mastaba fft stack.npy -o spectra.npy --axes -2,-1 --real\n"
                           "  mastaba fft spectra.npy -o again.npy --axes -2,-1 --real --inverse\n";

static int print_json(const char *command, const mst_fft_needs *n) {
    json_t *object = json_object();
    const struct {
        const char *name;
        uint64_t value;
    } members[] = {{"passes", n->passes},
                   {"panels", n->panels},
                   {"upload_bytes", n->upload_bytes},
                   {"download_bytes", n->download_bytes},
                   {"device_bytes", n->device_bytes},
                   {"host_bytes", n->host_bytes},
                   {"scratch_bytes", n->scratch_bytes}};
    int failed = !object;
    for (size_t i = 0; i < CLI_COUNT(members); i++)
        failed |= json_object_set_new(object, members[i].name, json_integer((json_int_t)members[i].value));
    return cli_print_json(command, cli_json_complete(object, failed));
}

int fft_print_plan(const char *command, const cli_options *options, const char *path, const mst_fft *plan) {
    mst_fft_needs n = MST_FFT_NEEDS_INIT;
    mst_error error;
    char up[32], down[32], device[32], host[32], scratch[32];
    if (mst_fft_plan_needs(plan, &n, &error) != MST_OK)
        return cli_fail_input(command, path, &error);
    if (options->json)
        return print_json(command, &n);
    printf("%s: %llu pass%s over the data", path, (unsigned long long)n.passes, n.passes == 1 ? "" : "es");
    if (n.panels)
        printf(" in %llu panels", (unsigned long long)n.panels);
    printf(", %s up, %s down\nmemory: %s%s of the device, %s of staging", cli_size_text(n.upload_bytes, up),
           cli_size_text(n.download_bytes, down), n.panels ? "" : "at least ", cli_size_text(n.device_bytes, device),
           cli_size_text(n.host_bytes, host));
    if (n.scratch_bytes > 0)
        printf(", and %s of RAM for lines, or of MASTABA_SCRATCH", cli_size_text(n.scratch_bytes, scratch));
    putchar('\n');
    return cli_flush(command);
}
