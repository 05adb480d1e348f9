"""Gets what a comparison needs: programs of the system, Python packages, and the load generator."""

import os
import shutil
import subprocess
import sys
import venv

from .processes import Failure, output_of

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))


class Unavailable(Exception):
    """A peer can't be had here. The text says why."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def system_program(name, package, folders=()):
    """A program's path. Debian's package is installed if it is missing and this is root."""
    path = _find(name, folders)
    if path:
        return path
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Unavailable(f"{name} is missing: install Debian's {package}")
    say(f"installing {package}")
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for command in (["apt-get", "update", "-qq"],
                    ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]):
        try:
            output_of(command, env=environment, stdin=subprocess.DEVNULL)
        except Failure as failure:
            raise Unavailable(str(failure)) from failure
    path = _find(name, folders)
    if not path:
        raise Unavailable(f"{package} has no {name}")
    return path


def _find(name, folders):
    search = os.pathsep.join([*folders, os.environ.get("PATH", ""), "/usr/sbin"])
    return shutil.which(name, path=search)


class Environment:
    """A virtual environment of Python in the cache folder, made when it is first needed."""

    def __init__(self, cache):
        self.folder = os.path.join(cache, "python")

    def program(self, name, *packages):
        """The path of a program of the environment, with these packages installed."""
        python = os.path.join(self.folder, "bin", "python")
        if not os.path.exists(python):
            say("making a virtual environment")
            venv.create(self.folder, with_pip=True)
        missing = [package for package in packages if not self.version(package)]
        if missing:
            say(f"installing {', '.join(missing)}")
            try:
                output_of([python, "-m", "pip", "install", "--quiet",
                           "--disable-pip-version-check", *missing])
            except Failure as failure:
                raise Unavailable(str(failure)) from failure
        path = os.path.join(self.folder, "bin", name)
        if not os.path.exists(path):
            raise Unavailable(f"{', '.join(packages)} has no {name}")
        return path

    def version(self, package):
        """The version of an installed package, or an empty text."""
        code = ("import importlib.metadata as m, sys\n"
                "try: print(m.version(sys.argv[1]))\n"
                "except m.PackageNotFoundError: pass\n")
        python = os.path.join(self.folder, "bin", "python")
        return output_of([python, "-c", code, package]).strip()


def build_generator(cache):
    """Compiles the load generator into the cache folder, and returns its path."""
    compiler = shutil.which("cc")
    if not compiler:
        raise Failure("cc is missing: install Debian's gcc and libc6-dev")
    folder = os.path.join(HERE, "load")
    sources = sorted(
        os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".c"))
    program = os.path.join(cache, "load")
    output_of([compiler, "-O2", "-Wall", "-Wextra", "-o", program, *sources])
    return program


def build_grove():
    """Builds a release of this tree, and returns the path of its program."""
    say("building Grove")
    command = ["swift", "build", "-c", "release", "--product", "grove"]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=sys.stderr)
    if done.returncode != 0:
        raise Failure(f"swift build ended with {done.returncode}")
    return os.path.join(REPOSITORY, ".build", "release", "grove")
