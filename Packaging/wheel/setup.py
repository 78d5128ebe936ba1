"""A wheel with a program inside is for one platform, but for every Python."""

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class PlatformDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


class PlatformWheel(bdist_wheel):
    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", "manylinux_2_36_x86_64"


setup(distclass=PlatformDistribution, cmdclass={"bdist_wheel": PlatformWheel})
