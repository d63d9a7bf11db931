"""Gives schemathesis the hostile inputs that memory/hostile-input.test.ts sends, from the same list.

Each request of the list is an example of its operation. Of a case that fits the document a part is sometimes replaced by
a value that no store or walk of values bears; cases that are meant to be refused stay as they are.
"""

import base64
import copy
import json
import re
from pathlib import Path

import schemathesis
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.generation.meta import TestPhase

LIST = Path(__file__).resolve().parent.parent / "memory" / "testing" / "hostile-inputs.json"
hostile = json.loads(LIST.read_text(encoding="utf-8"))

# schemathesis validates what it sends, by a library that takes no half of a pair: a character of nobody stands for each,
# until the body is written.
HALVES = {"\ud800": "\ue000", "\udc00": "\ue001"}


def marked(value):
    if isinstance(value, dict):
        return {key: marked(each) for key, each in value.items()}
    if isinstance(value, list):
        return [marked(each) for each in value]
    return value.translate(str.maketrans(HALVES)) if isinstance(value, str) else value


texts = hostile["texts"] + [each["of"] * each["times"] for each in hostile["longTexts"]]
# The value itself would end the stack of whoever prints it: it is written into the text of the body.
deep = [f"<{levels} levels>" for levels in hostile["levels"]]
cursors = [base64.urlsafe_b64encode(text.encode()).decode().rstrip("=") for text in hostile["cursors"]]
anything = st.sampled_from([*marked(texts), *hostile["numbers"], *deep, None, True])


def is_sendable(text):
    """An address takes no half of a pair; a segment that is empty or dots is another path."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return text not in ("", ".", "..")


in_address = st.sampled_from([text for text in texts if is_sendable(text)])


@schemathesis.hook
def before_add_examples(context, examples):
    for request in hostile["requests"]:
        if request["operation"] != context.operation.label:
            continue
        given = {"path_parameters": request.get("path"), "query": request.get("query")}
        if "body" in request:
            media_type = context.operation.body[0].media_type
            given |= {"body": marked(request["body"]), "media_type": media_type}
        examples.append(context.operation.Case(**given))


@schemathesis.hook
def flatmap_case(context, case):
    is_fitting = case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE
    return st.one_of(st.just(case), spoiled(case)) if is_fitting else st.just(case)


@st.composite
def spoiled(draw, case):
    case.body = copy.deepcopy(case.body)
    # In a sequence the path names what an earlier request made: schemathesis would miss it under another name.
    named = {} if case.meta.phase.name is TestPhase.STATEFUL else case.path_parameters or {}
    places = [("address", case.path_parameters, name) for name in named]
    places += [("address", case.query, name) for name in case.query or {}]
    places += [("body", *place) for place in places_in(case.body)]
    if places:
        kind, container, key = draw(st.sampled_from(places))
        if kind == "body":
            container[key] = draw(anything)
        else:
            container[key] = draw(st.sampled_from(cursors) if key == "cursor" else in_address)
    return case


def places_in(value):
    """Every member and item of a body, at any depth."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield value, key
        yield from places_in(each)


def deepened(match):
    half = int(match.group(1)) // 2
    return '[{"a":' * half + "1" + "}]" * half


@schemathesis.serializer("application/json", "application/merge-patch+json")
def serialize(context, value):
    if isinstance(value, bytes):
        return value
    text = json.dumps(value)
    for half, mark in HALVES.items():
        text = text.replace(json.dumps(mark)[1:-1], json.dumps(half)[1:-1])
    return re.sub(r'"<(\d+) levels>"', deepened, text).encode()
