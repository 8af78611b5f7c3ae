// Makes hall.wav: the impulse response of a small hall, as a stereo pair of microphones would measure it.
//
//     cc -std=c11 -O2 -o make_impulse_response make_impulse_response.c -lm && ./make_impulse_response hall.wav
//
// The model is a rectangular room, 24 m x 16 m x 9 m:
// - The direct sound and the early reflections come from the image-source method (Allen and Berkley, JASA 65, 1979):
//   every image of the source adds an impulse of amplitude beta^reflections / distance at distance / c.
// - The late part is Gaussian noise of the power that the images would reach on average, 4 pi c / V per second, and it
//   decays as they do. The first turns into the second between 50 and 80 ms.
// - Low frequencies ring longer than high ones: the response is split into bands that add up to it, and each is given its own
//   reverberation time (RT60) from 1.4 s below 250 Hz to 0.6 s above 8 kHz. At 1 to 2 kHz it is 1.2 s.
// The noise comes from a fixed seed, so the same file comes out each time. Time 0 is the arrival of the direct sound.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RATE = 44100, LENGTH = RATE * 3 / 2, N_CHANNELS = 2, N_BANDS = 7, SINC_HALF = 16 };

static const double pi = 3.14159265358979323846;
static const double sound_speed = 343.0;
static const double room[3] = {24.0, 16.0, 9.0};
static const double source[3] = {5.0, 7.3, 1.6};
static const double microphones[N_CHANNELS][3] = {{16.0, 8.1, 2.2}, {16.0, 8.6, 2.2}};
static const double mid_rt60 = 1.2;
static const double rt60[N_BANDS] = {1.4, 1.35, 1.25, 1.2, 1.1, 0.9, 0.6};
static const double band_edges[N_BANDS - 1] = {250, 500, 1000, 2000, 4000, 8000}; // Hz; a band lies between two of them
static const double early_end = 0.050, late_start = 0.080;                        // seconds

// 3 ln 10: the amplitude falls by 60 dB in one RT60.
static double decay(double seconds, double reverberation_time) { return exp(-6.907755278982137 * seconds / reverberation_time); }

// The share of the early part at a time: 1, then a smooth step, then 0. Squares of the two shares add up to 1.
static double early_share(double seconds) {
    if (seconds <= early_end)
        return 1;
    if (seconds >= late_start)
        return 0;
    return cos(0.5 * pi * (seconds - early_end) / (late_start - early_end));
}

// splitmix64, and from two of its values one of the normal distribution (Box and Muller).
static double uniform(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double gaussian(uint64_t *state) {
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * pi * uniform(state));
}

// The wall's amplitude factor for which Eyring's formula gives the reverberation time at middle frequencies.
static double wall_factor(void) {
    double volume = room[0] * room[1] * room[2];
    double surface = 2 * (room[0] * room[1] + room[1] * room[2] + room[0] * room[2]);
    double energy_kept = exp(-24 * log(10) * volume / (sound_speed * surface * mid_rt60));
    return sqrt(energy_kept);
}

// Adds an impulse that lies between samples: a sinc under a Hann window.
static void add_impulse(double *response, double position, double amplitude) {
    int nearest = (int)floor(position + 0.5);
    for (int i = nearest - SINC_HALF; i <= nearest + SINC_HALF; i++) {
        double u = (double)i - position;
        if (i < 0 || i >= LENGTH || fabs(u) > SINC_HALF)
            continue;
        double sinc = fabs(u) < 1e-9 ? 1 : sin(pi * u) / (pi * u);
        response[i] += amplitude * sinc * (0.5 + 0.5 * cos(pi * u / SINC_HALF));
    }
}

// Where image k of a coordinate lies; it has been mirrored |k| times.
static double image(double coordinate, double side, int k) {
    return k % 2 == 0 ? k * side + coordinate : (k + 1) * side - coordinate;
}

static double distance_to_image(const double *microphone, const int k[3]) {
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        double d = image(source[a], room[a], k[a]) - microphone[a];
        sum += d * d;
    }
    return sqrt(sum);
}

// Adds all images that arrive before the early part ends. The amplitude is relative to the direct sound at 1 m.
static void add_early(double *response, const double *microphone, double start) {
    const int reach = 8; // images further out than this in any direction arrive after late_start
    double beta = wall_factor();
    int k[3];
    for (k[0] = -reach; k[0] <= reach; k[0]++)
        for (k[1] = -reach; k[1] <= reach; k[1]++)
            for (k[2] = -reach; k[2] <= reach; k[2]++) {
                double distance = distance_to_image(microphone, k);
                double seconds = distance / sound_speed - start;
                double amplitude = pow(beta, abs(k[0]) + abs(k[1]) + abs(k[2])) / distance;
                if (seconds < late_start)
                    add_impulse(response, seconds * RATE, amplitude * early_share(seconds));
            }
}

static void add_late(double *response, double start, uint64_t *random) {
    double power = 4 * pi * sound_speed / (room[0] * room[1] * room[2] * RATE);
    for (int i = 0; i < LENGTH; i++) {
        double seconds = (double)i / RATE;
        double early = early_share(seconds);
        response[i] += sqrt(power * (1 - early * early)) * decay(seconds + start, mid_rt60) * gaussian(random);
    }
}

// Second-order Butterworth low-pass, by the bilinear transform.
static void low_pass(const double *in, double *out, double edge) {
    double w = tan(pi * edge / RATE), norm = 1 / (1 + sqrt(2) * w + w * w);
    double b = w * w * norm, a1 = 2 * (w * w - 1) * norm, a2 = (1 - sqrt(2) * w + w * w) * norm;
    double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
    for (int i = 0; i < LENGTH; i++) {
        double y = b * (in[i] + 2 * x1 + x2) - a1 * y1 - a2 * y2;
        x2 = x1, x1 = in[i], y2 = y1, y1 = y;
        out[i] = y;
    }
}

// Splits the response into bands, each the difference of two low-passes so that their sum is the whole, and lets each decay at
// its own rate instead of the middle one.
static void shape_bands(double *response, double *below, double *up_to, double *sum) {
    for (int i = 0; i < LENGTH; i++)
        below[i] = sum[i] = 0;
    for (int band = 0; band < N_BANDS; band++) {
        if (band < N_BANDS - 1)
            low_pass(response, up_to, band_edges[band]);
        for (int i = 0; i < LENGTH; i++) {
            double whole = band < N_BANDS - 1 ? up_to[i] : response[i];
            double seconds = (double)i / RATE;
            sum[i] += (whole - below[i]) * decay(seconds, rt60[band]) / decay(seconds, mid_rt60);
            below[i] = whole;
        }
    }
    for (int i = 0; i < LENGTH; i++)
        response[i] = sum[i];
}

static void put_little_endian(FILE *file, uint32_t value, int n_bytes) {
    for (int i = 0; i < n_bytes; i++)
        putc((int)(value >> (8 * i) & 0xff), file);
}

// Writes 16-bit PCM, the loudest sample at 0.9 of full scale.
static int write_wav(const char *path, double *const *channels) {
    double peak = 0;
    for (int c = 0; c < N_CHANNELS; c++)
        for (int i = 0; i < LENGTH; i++)
            peak = fmax(peak, fabs(channels[c][i]));
    FILE *file = fopen(path, "wb");
    if (!file)
        return -1;
    const uint32_t frame_bytes = N_CHANNELS * 2, data_bytes = LENGTH * frame_bytes;
    fputs("RIFF", file), put_little_endian(file, 36 + data_bytes, 4), fputs("WAVEfmt ", file);
    put_little_endian(file, 16, 4), put_little_endian(file, 1, 2), put_little_endian(file, N_CHANNELS, 2);
    put_little_endian(file, RATE, 4), put_little_endian(file, RATE * frame_bytes, 4);
    put_little_endian(file, frame_bytes, 2), put_little_endian(file, 16, 2);
    fputs("data", file), put_little_endian(file, data_bytes, 4);
    for (int i = 0; i < LENGTH; i++)
        for (int c = 0; c < N_CHANNELS; c++)
            put_little_endian(file, (uint32_t)lrint(0.9 * 32767 * channels[c][i] / peak), 2);
    int failed = ferror(file);
    return fclose(file) != 0 || failed ? -1 : 0;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: make_impulse_response OUTPUT.wav\n");
        return 2;
    }
    double *memory = calloc((N_CHANNELS + 3) * LENGTH, sizeof *memory);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    double *channels[N_CHANNELS], *scratch = memory + N_CHANNELS * LENGTH;
    double start = distance_to_image(microphones[0], (const int[3]){0, 0, 0}) / sound_speed;
    uint64_t random = 2;
    for (int c = 0; c < N_CHANNELS; c++) {
        channels[c] = memory + c * LENGTH;
        add_early(channels[c], microphones[c], start);
        add_late(channels[c], start, &random);
        shape_bands(channels[c], scratch, scratch + LENGTH, scratch + 2 * LENGTH);
        for (int i = LENGTH - RATE / 20; i < LENGTH; i++) // the last 50 ms fade out
            channels[c][i] *= 0.5 - 0.5 * cos(pi * (LENGTH - 1 - i) / (RATE / 20));
    }
    int status = write_wav(argv[1], channels);
    if (status != 0)
        perror(argv[1]);
    free(memory);
    return status == 0 ? 0 : 1;
}
