try:  # Spack 1 keeps build systems in its repository of packages, Spack 0.23 in itself
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass
from spack.package import *


class Mastaba(CMakePackage):
    """FFTs, convolutions, image filters, integrals and finite differences on any OpenCL device, for data of any size."""

    license("Apache-2.0", checked_by="scripts/release")

    # From a checkout, by `spack dev-build` or `spack develop`: a release brings a URL, and its digest is what scripts/release prints.
    version("0.1.0")

    variant("program", default=True, description="The program mastaba, besides the library")
    variant("mpi", default=False, description="libmastaba_mpi and mastaba-mpi")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("opencl@1.2:")
    depends_on("xxhash")
    depends_on("jansson")
    depends_on("mpi@3:", when="+mpi")
    with when("+program"):
        depends_on("popt")
        depends_on("libsndfile")
        depends_on("libpng")
        depends_on("libtiff")
        depends_on("libjpeg-turbo@2:")
        depends_on("libyaml")

    def cmake_args(self):
        return [self.define_from_variant("MASTABA_PROGRAM", "program"), self.define_from_variant("MASTABA_MPI", "mpi")]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        if self.spec.satisfies("+program"):
            Executable(self.prefix.bin.mastaba)("--version")
