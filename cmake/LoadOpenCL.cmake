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

include(cmake/FunctionTable.cmake)
mst_function_table(${CMAKE_CURRENT_BINARY_DIR}/opencl_table.h mst_opencl mastaba/array.h ${functions})
target_compile_definitions(mastaba_objects PRIVATE MST_LOAD_OPENCL)
target_compile_options(mastaba_objects PRIVATE -include ${CMAKE_CURRENT_BINARY_DIR}/opencl_table.h)
set_source_files_properties(src/runtime/loader.c PROPERTIES COMPILE_DEFINITIONS MST_OPENCL_TABLE_ONLY)
