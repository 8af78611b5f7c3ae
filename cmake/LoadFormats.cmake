# The program is not linked to the libraries of images, sounds and YAML: it opens one when a file needs it (cli/core/library.h), since a
# library that is loaded costs every command time, and each of its symbols is one more to look through for those of OpenCL's drivers.
# Where one of them is no shared library, CLI_LOADS_FORMATS stays OFF, and the program is linked to all of them.
set(CLI_LOADS_FORMATS ${MASTABA_LOAD_FORMATS})
foreach(module IN LISTS formats)
    list(GET ${module}_LINK_LIBRARIES 0 file)
    set(dynamic "")
    if(CMAKE_READELF)
        execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE dynamic ERROR_QUIET)
    endif()
    if(dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
        set(${module}_SONAME ${CMAKE_MATCH_1})
    else()
        if(CLI_LOADS_FORMATS)
            message(STATUS "The program is linked to its libraries of files: ${file} has no SONAME that readelf shows")
        endif()
        set(CLI_LOADS_FORMATS OFF)
    endif()
endforeach()
if(NOT CLI_LOADS_FORMATS)
    return()
endif()

# Linked to them, for tools that read from a file what a package needs; it is not installed.
add_library(mastaba_formats MODULE EXCLUDE_FROM_ALL)
target_include_directories(mastaba_formats PRIVATE include cli)
target_compile_definitions(mastaba_formats PRIVATE CLI_FORMATS_LINKED)

# mst_load_format(MODULE NAME "HEADER..." SOURCES FILE... FUNCTIONS FUNCTION...): the sources call these functions, and no others, of a
# library. One that is missing here is an undefined symbol when the program is linked.
function(mst_load_format module name headers)
    cmake_parse_arguments(format "" "" "SOURCES;FUNCTIONS" ${ARGN})
    if(NOT module IN_LIST formats)
        return()
    endif()
    string(TOUPPER ${name} capitals)
    set(soname ${${module}_SONAME})
    list(GET ${module}_LINK_LIBRARIES 0 file)
    get_filename_component(folder ${file} DIRECTORY)
    set(elsewhere NULL) # where the loader does not look by itself: where linking would have set a RUNPATH
    if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
        set(elsewhere "\"${folder}/${soname}\"")
    endif()
    set(made ${CMAKE_CURRENT_BINARY_DIR}/formats/${name})
    mst_function_table(${made}.h ${name} "${headers}" ${format_FUNCTIONS})
    configure_file(cmake/format.c.in ${made}.c @ONLY)
    set_property(SOURCE ${format_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -include ${made}.h)
    target_sources(mastaba_program PRIVATE ${made}.c)
    target_sources(mastaba_formats PRIVATE ${made}.c)
    target_include_directories(mastaba_program PUBLIC ${${module}_INCLUDE_DIRS})
    target_link_libraries(mastaba_formats PRIVATE PkgConfig::${module})
endfunction()

include(cmake/FunctionTable.cmake)
include(CheckSymbolExists)
set(CMAKE_REQUIRED_INCLUDES ${PNG_INCLUDE_DIRS})
check_symbol_exists(PNG_eXIf_SUPPORTED png.h CLI_PNG_HAS_EXIF)
unset(CMAKE_REQUIRED_INCLUDES)
set(png_exif_functions "")
if(CLI_PNG_HAS_EXIF)
    set(png_exif_functions png_get_eXIf_1 png_set_eXIf_1)
endif()
target_compile_definitions(mastaba_program PRIVATE CLI_LOADS_FORMATS)
target_link_libraries(mastaba_program PUBLIC ${CMAKE_DL_LIBS})
mst_load_format(SNDFILE libsndfile sndfile.h
    SOURCES cli/sound/reader.c cli/sound/writer.c
    FUNCTIONS sf_close sf_command sf_error sf_error_number sf_format_check sf_open_virtual sf_readf_float sf_strerror sf_writef_double
              sf_writef_float)
mst_load_format(YAML libyaml yaml.h
    SOURCES cli/solve/yaml_file.c
    FUNCTIONS yaml_document_delete yaml_document_get_node yaml_document_get_root_node yaml_event_delete yaml_parser_delete
              yaml_parser_initialize yaml_parser_load yaml_parser_parse yaml_parser_set_input_string)
mst_load_format(TIFF libtiff tiffio.h
    SOURCES cli/image/tiff.c cli/image/tiff_exif.c cli/image/tiff_fields.c cli/image/tiff_map.c
    FUNCTIONS TIFFClose TIFFCurrentDirOffset TIFFDefaultStripSize TIFFFdOpenExt TIFFFieldDataType TIFFFileno TIFFFindField TIFFFlush
              TIFFGetField TIFFGetFieldDefaulted TIFFIsBigEndian TIFFIsBigTIFF TIFFIsByteSwapped TIFFIsCODECConfigured TIFFIsTiled
              TIFFLastDirectory TIFFOpenOptionsAlloc TIFFOpenOptionsFree TIFFOpenOptionsSetErrorHandlerExtR
              TIFFOpenOptionsSetMaxSingleMemAlloc TIFFOpenOptionsSetWarningHandlerExtR TIFFReadDirectory TIFFReadScanline
              TIFFReadTile TIFFScanlineSize TIFFSetDirectory TIFFSetField TIFFSwabArrayOfLong TIFFTileSize TIFFWriteDirectory
              TIFFWriteScanline)
mst_load_format(PNG libpng png.h
    SOURCES cli/image/png.c cli/solve/frame_png.c
    FUNCTIONS png_create_info_struct png_create_read_struct png_create_write_struct png_destroy_read_struct
              png_destroy_write_struct png_get_bit_depth png_get_cHRM png_get_channels png_get_color_type
              png_get_error_ptr png_get_gAMA png_get_iCCP png_get_image_height png_get_image_width png_get_rowbytes png_get_sRGB
              png_get_text png_get_x_pixels_per_meter png_get_y_pixels_per_meter png_image_write_to_stdio png_init_io
              png_read_end png_read_image png_read_info png_read_update_info png_set_IHDR png_set_benign_errors png_set_cHRM
              png_set_chunk_cache_max png_set_chunk_malloc_max png_set_expand png_set_gAMA png_set_iCCP
              png_set_interlace_handling png_set_keep_unknown_chunks png_set_longjmp_fn png_set_pHYs png_set_sRGB png_set_swap
              png_set_text png_set_user_limits png_write_end png_write_info png_write_row ${png_exif_functions})
mst_load_format(JPEG libjpeg "stdio.h;jpeglib.h"
    SOURCES cli/image/jpeg.c
    FUNCTIONS jpeg_CreateCompress jpeg_CreateDecompress jpeg_destroy_compress jpeg_destroy_decompress jpeg_finish_compress
              jpeg_finish_decompress jpeg_read_header jpeg_read_icc_profile jpeg_read_scanlines jpeg_save_markers jpeg_set_defaults
              jpeg_set_quality jpeg_start_compress jpeg_start_decompress jpeg_std_error jpeg_stdio_dest jpeg_stdio_src
              jpeg_write_icc_profile jpeg_write_m_byte jpeg_write_m_header jpeg_write_marker jpeg_write_scanlines)
