// The magnitudes of a signal's spectrum in C++: contexts and plans are destroyed with their owners, and failures are exceptions.
#include <mastaba/mastaba.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

void check(mst_status status, const mst_error &error) {
    if (status != MST_OK)
        throw std::runtime_error(error.message);
}

template <typename T, void (*destroy)(T *)> struct destroys {
    void operator()(T *object) const { destroy(object); }
};
using context_ptr = std::unique_ptr<mst_context, destroys<mst_context, mst_context_destroy>>;
using fft_ptr = std::unique_ptr<mst_fft, destroys<mst_fft, mst_fft_destroy>>;

context_ptr make_context() {
    mst_error error;
    mst_context *context = nullptr;
    check(mst_context_create(nullptr, &context, &error), error);
    return context_ptr(context);
}

// Of n real numbers to n / 2 + 1 complex ones.
fft_ptr make_transform(const context_ptr &context, std::size_t n) {
    mst_error error;
    mst_fft *plan = nullptr;
    const std::size_t half = n / 2 + 1;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(MST_FLOAT32, 1, &n);
    desc.output = mst_layout_dense(MST_COMPLEX64, 1, &half);
    check(mst_fft_create(context.get(), &desc, &plan, &error), error);
    return fft_ptr(plan);
}

} // namespace

int main() {
    const std::size_t n = 4096;
    const double two_pi = 6.28318530717958647692;
    std::vector<float> signal(n);
    std::vector<std::complex<float>> spectrum(n / 2 + 1);
    for (std::size_t i = 0; i < n; i++)
        signal[i] = static_cast<float>(std::sin(two_pi * 440 * static_cast<double>(i) / n) +
                                       0.25 * std::cos(two_pi * 1000 * static_cast<double>(i) / n));
    try {
        const context_ptr context = make_context();
        const fft_ptr plan = make_transform(context, n);
        mst_error error;
        check(mst_fft_execute(plan.get(), mst_at_host(signal.data()), mst_at_host(spectrum.data()), nullptr, &error), error);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
    int wrong = 0;
    for (std::size_t k = 0; k < spectrum.size(); k++) {
        const double amplitude = 2 * std::abs(spectrum[k]) / n, expected = k == 440 ? 1 : k == 1000 ? 0.25 : 0;
        if (expected > 0)
            std::printf("%zu cycles: %.3f\n", k, amplitude);
        wrong += std::fabs(amplitude - expected) > 1e-5;
    }
    return wrong ? 1 : 0;
}
