"""What Jedi says of a folder of Python: which function calls which. The truth that extraction is measured by.

Run as a program: `python_calls.py DIR` writes one JSON object. Callers and callees are `path:line:name`, a file alone is a path.
Jedi's goto comes first, because a decorated function is that function to who reads the call; where it leads to a name
that holds a function or a class, what is inferred of the name counts.
"""

import ast
import json
import os
import sys

import jedi

root = os.path.realpath(sys.argv[1])
sources = [os.path.join(root, "src"), root]
project = jedi.Project(root, added_sys_path=[each for each in sources if os.path.isdir(each)])
functions = (ast.FunctionDef, ast.AsyncFunctionDef)


def python_files():
    for folder, below, names in os.walk(root):
        below[:] = sorted(each for each in below if not each.startswith(".") and each != "node_modules")
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))


def relative(path):
    return os.path.relpath(path, root).replace(os.sep, "/")


def is_overload(node):
    return any(ast.unparse(each).split(".")[-1] == "overload" for each in node.decorator_list)


def implementations(tree):
    """Lines of overloads, and of what they are overloads of."""
    found = {}
    for block in ast.walk(tree):
        body = getattr(block, "body", None)
        body = [each for each in body if isinstance(each, functions)] if isinstance(body, list) else []
        real = {each.name: each.lineno for each in body if not is_overload(each)}
        for each in body:
            if is_overload(each) and each.name in real:
                found[each.lineno] = real[each.name]
    return found


def calls(node, caller, of_file):
    """Every call with the function or class that it stands in; what decorates stands outside of what it decorates."""
    if isinstance(node, (*functions, ast.ClassDef)):
        for each in node.decorator_list:
            if isinstance(each, (ast.Name, ast.Attribute)):
                yield caller, each
            yield from calls(each, caller, of_file)
        inner = f"{of_file}:{node.lineno}:{node.name}"
        for each in ast.iter_child_nodes(node):
            if each not in node.decorator_list:
                yield from calls(each, inner, of_file)
        return
    if isinstance(node, ast.Call):
        yield caller, node.func
    for each in ast.iter_child_nodes(node):
        yield from calls(each, caller, of_file)


def place(callee, lines):
    """Where the last name of what is called stands; ast counts bytes, Jedi counts characters."""
    if isinstance(callee, ast.Name):
        line, offset = callee.lineno, callee.col_offset
    elif isinstance(callee, ast.Attribute):
        line, offset = callee.end_lineno, callee.end_col_offset - len(callee.attr.encode())
    else:
        return None
    return line, len(lines[line - 1].encode()[:offset].decode())


def definitions(script, line, column):
    try:
        for name in script.goto(line, column, follow_imports=True):
            yield from [name] if name.type in ("function", "class") else name.infer()
    except Exception as error:  # Jedi stumbles over some sources: what it does not answer is not asked of us.
        print(f"{type(error).__name__} at {script.path}:{line}", file=sys.stderr)


def main():
    trees = {}
    for path in python_files():
        with open(path, encoding="utf8") as file:
            text = file.read()
        try:
            trees[path] = text, ast.parse(text)
        except SyntaxError as error:
            print(f"{path}: {error}", file=sys.stderr)
    real = {path: implementations(tree) for path, (_, tree) in trees.items()}
    links = set()
    for path, (text, tree) in trees.items():
        script = jedi.Script(text, path=path, project=project)
        lines = text.splitlines()
        of_file = relative(path)
        for caller, callee in calls(tree, of_file, of_file):
            at = place(callee, lines)
            for name in definitions(script, *at) if at else ():
                target = os.path.realpath(name.module_path) if name.module_path else ""
                if target in trees and name.type in ("function", "class") and name.line:
                    line = real[target].get(name.line, name.line)
                    links.add(f"{caller} > {relative(target)}:{line}:{name.name}")
    json.dump({"calls": sorted(links), "imports": []}, sys.stdout)


main()
