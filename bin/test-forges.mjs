#!/usr/bin/env node
// `npm run test:forges`: the adapters of both forges and the local forge, by judges that nobody here wrote. Ends with
// `N passed, N failed, N skipped`.
import { join } from 'node:path'
import { ciScript } from './ci-script.mjs'
import { onNode24, root, run } from './on-node-24.mjs'

const usage = `usage: npm run test:forges [-- FILE...]

Tests the adapters of GitHub and GitLab and the local forge that speaks both:

  contract          one suite over each adapter
  GitHub's schemas  judge requests, answers and webhooks; payloads that GitHub has sent are read
  clients           octokit, gitbeaker, GitLab's own Go client and python-gitlab play their story on the local forge

The first run builds the Go client from Go modules, about half a minute of a core. python-gitlab comes from PyPI; without it its
test is skipped.

  FILE...   run only test files whose path contains FILE

Needs Go 1.24 or later and git.`

async function main(parameters) {
  process.env['GITLAB_CLIENT'] = await ciScript('gitlab-client.sh', ['build'])
  console.log(`GitLab's client: ${process.env['GITLAB_CLIENT']}`)
  process.env['STATEWRIGHT_REQUIRE'] ??= 'gitlab-client'
  const files = parameters.length > 0 ? parameters : ['edges/forge', 'standins/forge']
  return run(process.execPath, [join(root, 'bin', 'test.mjs'), ...files])
}

await onNode24(import.meta.url, main, usage)
