// ParaView's files: .vti holds the fields of one moment on a regular grid, .pvd lists the moments. The values stand behind the
// XML as they are in memory ("appended raw"), each array after its length in 64 bits.
// https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html
#include "frames.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *byte_order(void) {
    const uint16_t one = 1;
    return *(const uint8_t *)&one ? "LittleEndian" : "BigEndian";
}

// VTK always has three axes, x first; `missing` stands for those that the grid lacks.
static void axis_text(char text[200], int rank, const double *values, double missing) {
    size_t used = 0;
    for (int k = 0; k < 3; k++)
        used += (size_t)snprintf(text + used, 200 - used, "%s%.17g", k ? " " : "", k < rank ? values[rank - 1 - k] : missing);
}

static void extent_text(char text[200], const mst_layout *layout) {
    size_t used = 0;
    for (int k = 0; k < 3; k++)
        used += (size_t)snprintf(text + used, 200 - used, "%s0 %zu", k ? " " : "",
                                 k < layout->rank ? layout->shape[layout->rank - 1 - k] - 1 : 0);
}

static void write_header(FILE *file, const frame_grid *grid, const char *const *names, size_t n) {
    char extent[200], origin[200], spacing[200];
    uint64_t bytes = cli_layout_bytes(&grid->layout);
    extent_text(extent, &grid->layout);
    axis_text(origin, grid->layout.rank, grid->origin, 0);
    axis_text(spacing, grid->layout.rank, grid->spacing, 1);
    fprintf(file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n"
            "<ImageData WholeExtent=\"%s\" Origin=\"%s\" Spacing=\"%s\">\n<Piece Extent=\"%s\">\n<PointData Scalars=\"%s\">\n",
            byte_order(), extent, origin, spacing, extent, names[0]);
    for (size_t i = 0; i < n; i++)
        fprintf(file, "<DataArray type=\"%s\" Name=\"%s\" format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
                grid->layout.type == MST_FLOAT64 ? "Float64" : "Float32", names[i], i * (bytes + sizeof bytes));
    fputs("</PointData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_", file);
}

static bool write_at(FILE *file, uint64_t offset, const void *data, size_t bytes) {
    return fseeko(file, (off_t)offset, SEEK_SET) == 0 && fwrite(data, bytes, 1, file) == 1;
}

int frame_begin_vti(const cli_whole_file *whole, const frame_grid *grid, const char *const *names, size_t n, uint64_t *first,
                    uint64_t *step) {
    static const char end[] = "\n</AppendedData>\n</VTKFile>\n";
    uint64_t bytes = cli_layout_bytes(&grid->layout);
    write_header(whole->file, grid, names, n);
    *first = (uint64_t)ftello(whole->file) + sizeof bytes;
    *step = bytes + sizeof bytes;
    bool good = true;
    for (size_t i = 0; i < n && good; i++)
        good = write_at(whole->file, *first + i * *step - sizeof bytes, &bytes, sizeof bytes);
    good = good && write_at(whole->file, *first + n * *step - sizeof bytes, end, sizeof end - 1);
    return good && fflush(whole->file) == 0 && !ferror(whole->file) ? CLI_DONE : cli_whole_failed(whole, errno);
}

bool frame_path(const char *prefix, uint64_t step, const char *extension, char *path) {
    int length = snprintf(path, FRAME_PATH_BYTES, "%s-%08" PRIu64 "%s", prefix, step, extension);
    return length > 0 && length < FRAME_PATH_BYTES;
}

// Names of files come from the user and may hold anything.
static void write_escaped(FILE *file, const char *text) {
    for (; *text; text++)
        if (strchr("&<>\"'", *text))
            fprintf(file, "&#%d;", *text);
        else
            fputc(*text, file);
}

void frame_write_pvd(FILE *file, const char *prefix, uint64_t every, uint64_t last, double time_step) {
    char frame[FRAME_PATH_BYTES];
    const char *slash = strrchr(prefix, '/');
    fprintf(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"%s\">\n<Collection>\n",
            byte_order());
    for (uint64_t step = 0; step <= last; step += every) {
        frame_path(slash ? slash + 1 : prefix, step, ".vti", frame);
        fprintf(file, "<DataSet timestep=\"%.17g\" file=\"", (double)step * time_step);
        write_escaped(file, frame);
        fputs("\"/>\n", file);
    }
    fputs("</Collection>\n</VTKFile>\n", file);
}
