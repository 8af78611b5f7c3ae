// How real numbers become the complex ones that are transformed, and how results become real numbers: what transforms
// of even and odd data have around a Fourier transform of length m (even.c). C and OpenCL C both read this.
enum {
    EVEN_NONE,
    EVEN_SPREAD,   // m = n: even indices going up, then odd ones going down (Makhoul 1980)
    EVEN_ROTATED,  // m = n: number k and number n - k are the parts of a number of the spectrum, rotated
    EVEN_MIRRORED, // m = 2 (n - 1), or 2 (n + 1) of odd data: one period
    EVEN_FOLDED,   // m = n / 2: numbers 2 p and n - 1 - 2 p are the parts of one
    EVEN_STRIDED,  // m = n, odd: every fourth of four mirrored copies
    EVEN_PAIRED    // m = n / 2: those that are spread, two by two the parts of one
};
