"""The names under which public classes are known."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect
import sys


def publish(module, *returned):
    """Let the classes that a module lists say that they are of this module.

    Pickles hold the module of a class, and so do lists of trusted types, such as those
    of skops and MLflow. The file in which a class is defined may change, its public
    module does not.

    Parameters
    ----------
    module : str
        The name of a public module, whose `__all__` is defined.
    *returned : type
        Classes of what its functions return, which `__all__` does not list. They have
        to be names of the module as well.
    """
    contents = vars(sys.modules[module])
    package = module.partition(".")[0]
    for thing in [*map(contents.get, contents["__all__"]), *returned]:
        if inspect.isclass(thing) and thing.__module__.startswith(f"{package}."):
            _move(thing, module)


def _move(cls, module):
    """Let a class and its own methods say that they are of a module."""
    home, cls.__module__ = cls.__module__, module
    for member in vars(cls).values():
        function = getattr(member, "__func__", member)
        # doctest skips methods that are not of the module of their class.
        if inspect.isfunction(function) and function.__module__ == home:
            function.__module__ = module
