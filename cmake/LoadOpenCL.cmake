# With MASTABA_LOAD_OPENCL the library calls OpenCL through a table that it fills when it is first used (src/runtime/loader.c), and is not
# linked to OpenCL's loader: so it opens where there is none, and can say what to install. A function that is missing in this list is
# an undefined symbol when the library is linked.
set(functions
    clBuildProgram clCreateBuffer clCreateCommandQueue clCreateContext clCreateKernel clCreateKernelsInProgram
    clCreateProgramWithBinary clCreateProgramWithSource clCreateUserEvent clEnqueueBarrierWithWaitList clEnqueueCopyBuffer
    clEnqueueCopyBufferRect
    clEnqueueFillBuffer clEnqueueMapBuffer clEnqueueMarkerWithWaitList clEnqueueNDRangeKernel clEnqueueReadBuffer
    clEnqueueReadBufferRect clEnqueueUnmapMemObject clEnqueueWriteBuffer clEnqueueWriteBufferRect clFinish clFlush
    clGetCommandQueueInfo clGetContextInfo clGetDeviceIDs clGetDeviceInfo clGetEventInfo clGetEventProfilingInfo
    clGetKernelWorkGroupInfo clGetMemObjectInfo clGetPlatformIDs clGetPlatformInfo clGetProgramBuildInfo clGetProgramInfo
    clCreateSubDevices clReleaseDevice clRetainDevice
    clReleaseCommandQueue clReleaseContext clReleaseEvent clReleaseKernel clReleaseMemObject clReleaseProgram
    clRetainCommandQueue clRetainContext clRetainEvent clSetKernelArg clSetMemObjectDestructorCallback clSetUserEventStatus
    clWaitForEvents)

set(table "#include <mastaba/array.h>\n\nstruct mst_opencl_table {\n")
foreach(function ${functions})
    string(APPEND table "    __typeof__(&${function}) ${function};\n")
endforeach()
string(APPEND table "};\nextern struct mst_opencl_table mst_opencl;\n\n#define MST_OPENCL_FUNCTIONS(DO)")
foreach(function ${functions})
    string(APPEND table " \\\n    DO(${function})")
endforeach()
string(APPEND table "\n\n#ifndef MST_OPENCL_TABLE_ONLY\n")
foreach(function ${functions})
    string(APPEND table "#define ${function} mst_opencl.${function}\n")
endforeach()
string(APPEND table "#endif\n")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/opencl_table.h CONTENT "${table}" @ONLY)
target_compile_definitions(mastaba_objects PRIVATE MST_LOAD_OPENCL)
target_compile_options(mastaba_objects PRIVATE -include ${CMAKE_CURRENT_BINARY_DIR}/opencl_table.h)
set_source_files_properties(src/runtime/loader.c PROPERTIES COMPILE_DEFINITIONS MST_OPENCL_TABLE_ONLY)
