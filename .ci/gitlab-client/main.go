// The story of one merge request by GitLab's own client. Prints, as one object of JSON, what the client understood; a call that
// fails ends it. walk.py beside the local forge plays the same story by another client: the two objects are equal.
//
//	gitlab-client URL TOKEN REVIEWER_TOKEN PROJECT BRANCH HOOK
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

type facts map[string]any

func must[T any](value T, answer *gitlab.Response, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func done(answer *gitlab.Response, err error) { must(0, answer, err) }

func statusOf(err error) int {
	var refused *gitlab.ErrorResponse
	if errors.Is(err, gitlab.ErrNotFound) {
		return http.StatusNotFound
	}
	if errors.As(err, &refused) {
		return refused.Response.StatusCode
	}
	return 0
}

func main() {
	url, token, reviewerToken, project, branch, hook := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6]
	client, reviewer := clientOf(url, token), clientOf(url, reviewerToken)
	seen := facts{}
	identity(client, project, seen)
	issue(client, project, seen)
	mergeRequest(client, reviewer, project, branch, seen)
	hooks(client, project, hook, seen)
	must(0, nil, json.NewEncoder(os.Stdout).Encode(seen))
}

func clientOf(url, token string) *gitlab.Client {
	client, err := gitlab.NewClient(token, gitlab.WithBaseURL(url), gitlab.WithCustomRetryMax(0))
	return must(client, nil, err)
}

func identity(client *gitlab.Client, project string, seen facts) {
	seen["user"] = must(client.Users.CurrentUser()).Username
	found := must(client.Projects.GetProject(project, nil))
	seen["project"] = []any{found.PathWithNamespace, found.DefaultBranch, string(found.Visibility)}
	me := must(client.Users.CurrentUser())
	seen["access"] = must(client.ProjectMembers.GetInheritedProjectMember(project, me.ID)).AccessLevel
	_, _, err := client.Projects.GetProject(project+"-absent", nil)
	seen["absent"] = statusOf(err)
}

func issue(client *gitlab.Client, project string, seen facts) {
	label := must(client.Labels.CreateLabel(project, &gitlab.CreateLabelOptions{Name: gitlab.Ptr("stage::one"), Color: gitlab.Ptr("#112233")}))
	must(client.Labels.CreateLabel(project, &gitlab.CreateLabelOptions{Name: gitlab.Ptr("stage::two"), Color: gitlab.Ptr("#445566")}))
	seen["label"] = []any{label.Name, label.Color}
	made := must(client.Issues.CreateIssue(project, &gitlab.CreateIssueOptions{
		Title: gitlab.Ptr("Add mul"), Description: gitlab.Ptr("Please."), Labels: &gitlab.LabelOptions{"stage::one"},
	}))
	changed := must(client.Issues.UpdateIssue(project, made.IID, &gitlab.UpdateIssueOptions{AddLabels: &gitlab.LabelOptions{"stage::two", "wanted"}}))
	labels := slices.Clone([]string(changed.Labels))
	slices.Sort(labels)
	seen["issue"] = []any{made.IID, made.State, made.Author.Username, []string(made.Labels), labels, made.Confidential}
	since := made.CreatedAt.Add(-time.Minute)
	listed := must(client.Issues.ListProjectIssues(project, &gitlab.ListProjectIssuesOptions{UpdatedAfter: &since, State: gitlab.Ptr("opened")}))
	seen["issues"] = len(listed)

	note := must(client.Notes.CreateIssueNote(project, made.IID, &gitlab.CreateIssueNoteOptions{Body: gitlab.Ptr("one")}))
	must(client.Notes.UpdateIssueNote(project, made.IID, note.ID, &gitlab.UpdateIssueNoteOptions{Body: gitlab.Ptr("two")}))
	notes := must(client.Notes.ListIssueNotes(project, made.IID, &gitlab.ListIssueNotesOptions{OrderBy: gitlab.Ptr("created_at"), Sort: gitlab.Ptr("asc")}))
	words := []string{}
	for _, one := range notes {
		if !one.System {
			words = append(words, one.Author.Username+" "+one.Body)
		}
	}
	seen["notes"] = words
	closed := must(client.Issues.UpdateIssue(project, made.IID, &gitlab.UpdateIssueOptions{StateEvent: gitlab.Ptr("close")}))
	seen["closed"] = []any{closed.State, closed.ClosedBy.Username, closed.ClosedAt != nil}
}

func mergeRequest(client, reviewer *gitlab.Client, project, branch string, seen facts) {
	made := must(client.MergeRequests.CreateMergeRequest(project, &gitlab.CreateMergeRequestOptions{
		Title: gitlab.Ptr("Mul"), SourceBranch: &branch, TargetBranch: gitlab.Ptr("main"),
	}))
	number := made.IID
	_, _, err := client.MergeRequests.CreateMergeRequest(project, &gitlab.CreateMergeRequestOptions{
		Title: gitlab.Ptr("Mul"), SourceBranch: &branch, TargetBranch: gitlab.Ptr("main"),
	})
	tip := must(client.Branches.GetBranch(project, branch))
	seen["opened"] = []any{number, made.State, made.SHA == tip.Commit.ID, made.Draft, statusOf(err)}
	diffs := must(client.MergeRequests.ListMergeRequestDiffs(project, number, nil))
	seen["diffs"] = []any{len(diffs), diffs[0].NewPath, diffs[0].NewFile, diffs[0].Diff}
	commits := must(client.MergeRequests.GetMergeRequestCommits(project, number, nil))
	versions := must(client.MergeRequests.GetMergeRequestDiffVersions(project, number, nil))
	seen["commits"] = []any{len(commits), commits[0].ID == made.SHA, len(versions), versions[0].HeadCommitSHA == made.SHA}

	position := &gitlab.PositionOptions{
		BaseSHA: &made.DiffRefs.BaseSha, StartSHA: &made.DiffRefs.StartSha, HeadSHA: &made.DiffRefs.HeadSha,
		PositionType: gitlab.Ptr("text"), OldPath: &diffs[0].OldPath, NewPath: &diffs[0].NewPath, NewLine: gitlab.Ptr(int64(1)),
	}
	thread := must(client.Discussions.CreateMergeRequestDiscussion(project, number, &gitlab.CreateMergeRequestDiscussionOptions{
		Body: gitlab.Ptr("here"), Position: position,
	}))
	must(client.Discussions.AddMergeRequestDiscussionNote(project, number, thread.ID, &gitlab.AddMergeRequestDiscussionNoteOptions{Body: gitlab.Ptr("why?")}))
	resolved := must(client.Discussions.ResolveMergeRequestDiscussion(project, number, thread.ID, &gitlab.ResolveMergeRequestDiscussionOptions{Resolved: gitlab.Ptr(true)}))
	first := resolved.Notes[0]
	seen["thread"] = []any{len(resolved.Notes), first.Type, first.Body, first.Resolved, first.Position.NewPath, first.Position.NewLine}
	far := *position
	far.NewLine = gitlab.Ptr(int64(99))
	_, _, err = client.Discussions.CreateMergeRequestDiscussion(project, number, &gitlab.CreateMergeRequestDiscussionOptions{
		Body: gitlab.Ptr("nowhere"), Position: &far,
	})
	seen["nowhere"] = statusOf(err)

	must(client.DraftNotes.CreateDraftNote(project, number, &gitlab.CreateDraftNoteOptions{Note: gitlab.Ptr("a draft"), Position: position}))
	seen["drafts"] = len(must(client.DraftNotes.ListDraftNotes(project, number, nil)))
	done(client.DraftNotes.PublishAllDraftNotes(project, number))
	seen["published"] = len(must(client.DraftNotes.ListDraftNotes(project, number, nil)))
	discussions := must(client.Discussions.ListMergeRequestDiscussions(project, number, nil))
	bodies := []string{}
	for _, one := range discussions {
		for _, note := range one.Notes {
			if !note.System {
				bodies = append(bodies, note.Body)
			}
		}
	}
	slices.Sort(bodies)
	seen["discussions"] = bodies

	done(nil, second(reviewer.MergeRequestApprovals.ApproveMergeRequest(project, number, &gitlab.ApproveMergeRequestOptions{SHA: &made.SHA})))
	seen["approved"] = approvers(client, project, number)
	done(reviewer.MergeRequestApprovals.UnapproveMergeRequest(project, number))
	seen["unapproved"] = approvers(client, project, number)

	status := must(client.Commits.SetCommitStatus(project, made.SHA, &gitlab.SetCommitStatusOptions{
		State: gitlab.Success, Name: gitlab.Ptr("lint"), TargetURL: gitlab.Ptr("https://ci.example/1"),
	}))
	statuses := must(client.Commits.GetCommitStatuses(project, made.SHA, nil))
	seen["status"] = []any{status.Status, status.Name, len(statuses)}
	pipelines := must(client.Pipelines.ListProjectPipelines(project, &gitlab.ListProjectPipelinesOptions{SHA: &made.SHA}))
	states := []string{}
	for _, one := range pipelines {
		states = append(states, one.Status)
		must(client.Jobs.ListPipelineJobs(project, one.ID, nil))
		must(client.Jobs.ListPipelineBridges(project, one.ID, nil))
	}
	seen["pipelines"] = states

	ready := made
	for round := 0; round < 100; round++ {
		ready = must(client.MergeRequests.GetMergeRequest(project, number, nil))
		if ready.DetailedMergeStatus != "checking" && ready.DetailedMergeStatus != "unchecked" && ready.DetailedMergeStatus != "preparing" {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	seen["ready"] = []any{ready.DetailedMergeStatus, ready.HasConflicts}
	_, _, err = client.MergeRequests.AcceptMergeRequest(project, number, &gitlab.AcceptMergeRequestOptions{SHA: gitlab.Ptr("ffffffffffffffffffffffffffffffffffffffff")})
	merged := must(client.MergeRequests.AcceptMergeRequest(project, number, &gitlab.AcceptMergeRequestOptions{SHA: &made.SHA, Squash: gitlab.Ptr(true)}))
	head := must(client.Branches.GetBranch(project, "main")).Commit.ID
	seen["merged"] = []any{statusOf(err), merged.State, merged.MergeCommitSHA == head, merged.SquashCommitSHA != "", merged.MergedAt != nil}
	done(client.Branches.DeleteBranch(project, branch))
	_, _, err = client.Branches.GetBranch(project, branch)
	seen["gone"] = statusOf(err)
}

func second[T any](_ T, _ *gitlab.Response, err error) error { return err }

func approvers(client *gitlab.Client, project string, number int64) []string {
	found := must(client.MergeRequestApprovals.GetConfiguration(project, number))
	names := []string{}
	for _, one := range found.ApprovedBy {
		names = append(names, one.User.Username)
	}
	return names
}

func hooks(client *gitlab.Client, project, url string, seen facts) {
	made := must(client.Projects.AddProjectHook(project, &gitlab.AddProjectHookOptions{
		URL: &url, Token: gitlab.Ptr("secret"), IssuesEvents: gitlab.Ptr(true), PushEvents: gitlab.Ptr(false),
	}))
	edited := must(client.Projects.EditProjectHook(project, made.ID, &gitlab.EditProjectHookOptions{URL: &url, NoteEvents: gitlab.Ptr(true)}))
	seen["hook"] = []any{made.URL == url, edited.IssuesEvents, edited.PushEvents, edited.NoteEvents}
	seen["hooks"] = len(must(client.Projects.ListProjectHooks(project, nil)))
	done(client.Projects.DeleteProjectHook(project, made.ID))
	seen["unhooked"] = len(must(client.Projects.ListProjectHooks(project, nil)))
}
