"""The story of one merge request by python-gitlab: what .ci/gitlab-client plays by GitLab's own client. Prints, as one object of
JSON, what the client understood; a call that fails ends it.

    walk.py URL TOKEN REVIEWER_TOKEN PROJECT BRANCH HOOK
"""

import json
import sys
import time
from datetime import datetime, timedelta

import gitlab

url, token, reviewer_token, name, branch, hook_url = sys.argv[1:]
client = gitlab.Gitlab(url, private_token=token)
reviewer = gitlab.Gitlab(url, private_token=reviewer_token)
seen = {}


def refusal(call):
    try:
        call()
    except gitlab.GitlabError as refused:
        return refused.response_code
    return 0


def identity():
    client.auth()
    project = client.projects.get(name)
    seen["user"] = client.user.username
    seen["project"] = [project.path_with_namespace, project.default_branch, project.visibility]
    seen["access"] = project.members_all.get(client.user.id).access_level
    seen["absent"] = refusal(lambda: client.projects.get(f"{name}-absent"))
    return project


def issue(project):
    label = project.labels.create({"name": "stage::one", "color": "#112233"})
    project.labels.create({"name": "stage::two", "color": "#445566"})
    seen["label"] = [label.name, label.color]
    made = project.issues.create({"title": "Add mul", "description": "Please.", "labels": "stage::one"})
    first = list(made.labels)
    changed = project.issues.update(made.iid, {"add_labels": "stage::two,wanted"})
    seen["issue"] = [made.iid, made.state, made.author["username"], first, sorted(changed["labels"]), made.confidential]
    since = datetime.fromisoformat(made.created_at.replace("Z", "+00:00")) - timedelta(minutes=1)
    listed = project.issues.list(updated_after=since.isoformat(), state="opened", get_all=True)
    seen["issues"] = len(listed)

    note = made.notes.create({"body": "one"})
    made.notes.update(note.id, {"body": "two"})
    notes = made.notes.list(order_by="created_at", sort="asc", get_all=True)
    seen["notes"] = [f"{one.author['username']} {one.body}" for one in notes if not one.system]
    closed = project.issues.update(made.iid, {"state_event": "close"})
    seen["closed"] = [closed["state"], closed["closed_by"]["username"], closed["closed_at"] is not None]


def merge_request(project):
    wanted = {"title": "Mul", "source_branch": branch, "target_branch": "main"}
    made = project.mergerequests.create(wanted)
    again = refusal(lambda: project.mergerequests.create(wanted))
    tip = project.branches.get(branch)
    seen["opened"] = [made.iid, made.state, made.sha == tip.commit["id"], made.draft, again]
    diffs = client.http_list(f"/projects/{project.id}/merge_requests/{made.iid}/diffs", get_all=True)
    seen["diffs"] = [len(diffs), diffs[0]["new_path"], diffs[0]["new_file"], diffs[0]["diff"]]
    commits = list(made.commits())
    versions = made.diffs.list(get_all=True)
    seen["commits"] = [len(commits), commits[0].id == made.sha, len(versions), versions[0].head_commit_sha == made.sha]

    paths = {"old_path": diffs[0]["old_path"], "new_path": diffs[0]["new_path"]}
    position = {**made.diff_refs, "position_type": "text", **paths, "new_line": 1}
    thread = made.discussions.create({"body": "here", "position": position})
    thread.notes.create({"body": "why?"})
    thread.resolved = True
    thread.save()
    resolved = made.discussions.get(thread.id).attributes["notes"]
    at = resolved[0]["position"]
    seen["thread"] = [
        len(resolved),
        resolved[0]["type"],
        resolved[0]["body"],
        resolved[0]["resolved"],
        at["new_path"],
        at["new_line"],
    ]
    far = {**position, "new_line": 99}
    seen["nowhere"] = refusal(lambda: made.discussions.create({"body": "nowhere", "position": far}))

    made.draft_notes.create({"note": "a draft", "position": position})
    seen["drafts"] = len(made.draft_notes.list(get_all=True))
    made.draft_notes.bulk_publish()
    seen["published"] = len(made.draft_notes.list(get_all=True))
    notes = [note for one in made.discussions.list(get_all=True) for note in one.attributes["notes"]]
    seen["discussions"] = sorted(note["body"] for note in notes if not note["system"])

    theirs = reviewer.projects.get(project.id).mergerequests.get(made.iid)
    theirs.approve(made.sha)
    seen["approved"] = approvers(made)
    theirs.unapprove()
    seen["unapproved"] = approvers(made)

    commit = project.commits.get(made.sha)
    status = commit.statuses.create({"state": "success", "name": "lint", "target_url": "https://ci.example/1"})
    seen["status"] = [status.status, status.name, len(commit.statuses.list(get_all=True))]
    pipelines = project.pipelines.list(sha=made.sha, get_all=True)
    for one in pipelines:
        one.jobs.list(get_all=True)
        one.bridges.list(get_all=True)
    seen["pipelines"] = [one.status for one in pipelines]

    for _ in range(100):
        ready = project.mergerequests.get(made.iid)
        if ready.detailed_merge_status not in ("checking", "unchecked", "preparing"):
            break
        time.sleep(0.02)
    seen["ready"] = [ready.detailed_merge_status, ready.has_conflicts]
    stale = refusal(lambda: ready.merge(sha="f" * 40))
    merged = ready.merge(sha=made.sha, squash=True)
    head = project.branches.get("main").commit["id"]
    seen["merged"] = [
        stale,
        merged["state"],
        merged["merge_commit_sha"] == head,
        bool(merged["squash_commit_sha"]),
        merged["merged_at"] is not None,
    ]
    project.branches.delete(branch)
    seen["gone"] = refusal(lambda: project.branches.get(branch))


def approvers(made):
    return [one["user"]["username"] for one in made.approvals.get().approved_by]


def hooks(project):
    made = project.hooks.create({"url": hook_url, "token": "secret", "issues_events": True, "push_events": False})
    edited = project.hooks.update(made.id, {"url": hook_url, "note_events": True})
    seen["hook"] = [made.url == hook_url, edited["issues_events"], edited["push_events"], edited["note_events"]]
    seen["hooks"] = len(project.hooks.list(get_all=True))
    project.hooks.delete(made.id)
    seen["unhooked"] = len(project.hooks.list(get_all=True))


project = identity()
issue(project)
merge_request(project)
hooks(project)
print(json.dumps(seen))
