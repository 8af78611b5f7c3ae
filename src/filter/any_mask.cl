// Kinds of masks and their roll-offs, numbered as in mastaba/filter.h.
enum { ANY_HIGH = 1, ANY_LOW, ANY_BAND, ANY_BAND_STOP, ANY_NOTCH, ANY_OWN };
enum { ANY_IDEAL, ANY_GAUSSIAN, ANY_BUTTERWORTH };
