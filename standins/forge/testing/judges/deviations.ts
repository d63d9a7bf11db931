/**
 * Faults that stay, by the name of the operation or webhook. A new fault is not to be listed but mended; one that is no longer
 * found leaves the list, or the test fails.
 */

/** GitHub itself does so, and does not describe it. */
const ofGithub: Readonly<Record<string, readonly string[]>> = {
  'DELETE /repos/{owner}/{repo}/git/refs/{ref}': ['answers 422 with a body where none is described'],
  'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs': ['answers 404, not described'],
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/merge': ['answers 404 with a body where none is described'],
  'POST /repos/{owner}/{repo}/git/refs': ['answers 422 /status is not described'],
  'POST /repos/{owner}/{repo}/issues': ['answers 422 /status is not described'],
  'POST /repos/{owner}/{repo}/labels': ['answers 403, not described'],
  'POST /repos/{owner}/{repo}/pulls': ['answers 422 /status is not described'],
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews': ['answers 422 /status is not described'],
  'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge': [
    'answers 405 /status is not described',
    'answers 409 /status is not described',
  ],
  'issues-reopened': [
    '/issue/assignee/user_view_type is not described',
    '/issue/assignees[]/user_view_type is not described',
  ],
}

/** A run's suite is shown as the suite's own event shows it. */
const ofSuites = [
  '/check_run/check_suite/check_runs_url is not described',
  '/check_run/check_suite/latest_check_runs_count is not described',
]

/** The events of the store name a commit by its sha alone. */
const ofCommits: Readonly<Record<string, readonly string[]>> = {
  'check-suite-completed': ["/check_suite must have required property 'head_commit'"],
  status: ["/ must have required property 'commit'"],
}

export const deviations: Readonly<Record<string, readonly string[]>> = {
  ...ofGithub,
  ...ofCommits,
  'check-run-completed': ofSuites,
  'check-run-created': ofSuites,
}
