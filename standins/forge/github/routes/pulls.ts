import { Type } from 'typebox'
import { mergePull } from '../../store/merge.ts'
import { viewMergeability } from '../../store/mergeability.ts'
import { editPull, findPull, openPull, pullFiles, pullsOf } from '../../store/pulls.ts'
import type { Pull } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { numberParam } from '../../rest.ts'
import { bodyOf, type Answer, type Call, type Route } from '../call.ts'
import { listAnswer } from '../paging.ts'
import { commitPayload } from '../payloads/common.ts'
import { filePayload, fullPullPayload, pullPayload } from '../payloads/pulls.ts'

const PULLS = '/repos/:owner/:repo/pulls'

const Body = Type.Union([Type.String(), Type.Null()])
const NewPull = Type.Object({
  title: Type.String(),
  head: Type.String(),
  base: Type.String(),
  body: Type.Optional(Body),
  draft: Type.Optional(Type.Boolean()),
})
const PullPatch = Type.Object({
  title: Type.Optional(Type.String()),
  body: Type.Optional(Body),
  base: Type.Optional(Type.String()),
  state: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('closed')])),
})
const MergeBody = Type.Object({
  sha: Type.Optional(Type.String()),
  commit_title: Type.Optional(Type.String()),
  commit_message: Type.Optional(Type.String()),
  merge_method: Type.Optional(Type.Union([Type.Literal('merge'), Type.Literal('squash'), Type.Literal('rebase')])),
})
const readNewPull = bodyOf(NewPull, 'PullRequest')
const readPatch = bodyOf(PullPatch, 'PullRequest')
const readMerge = bodyOf(MergeBody, 'PullRequest')

export const pullRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: PULLS,
    run: (call) => listAnswer(call, selected(call), (pull) => pullPayload(call.links, call.repository, pull)),
  },
  {
    method: 'POST',
    path: PULLS,
    async run(call) {
      const input = readNewPull(call)
      const pull = await openPull(call.world, call.repository, call.writer, {
        ...input,
        head: ownBranch(call, input.head),
      })
      return {
        status: 201,
        body: await showPull(call, pull),
        headers: { location: call.links.pull(call.repository, pull.number) },
      }
    },
  },
  {
    method: 'GET',
    path: `${PULLS}/:number`,
    async run(call) {
      const pull = pullOf(call)
      if (/diff|patch/.test(call.accept))
        return {
          text: {
            type: 'application/vnd.github.diff; charset=utf-8',
            content: await call.repository.git.diffText(pull.diffBase, pull.headSha),
          },
        }
      return { body: await showPull(call, pull) }
    },
  },
  {
    method: 'PATCH',
    path: `${PULLS}/:number`,
    async run(call) {
      const pull = pullOf(call)
      await editPull(call.world, call.repository, call.writer, pull, readPatch(call))
      return { body: await showPull(call, pull) }
    },
  },
  {
    method: 'GET',
    path: `${PULLS}/:number/files`,
    async run(call) {
      const pull = pullOf(call)
      return listAnswer(call, await pullFiles(call.repository, pull), (file) =>
        filePayload(call.links, call.repository, pull.headSha, file),
      )
    },
  },
  {
    method: 'GET',
    path: `${PULLS}/:number/commits`,
    async run(call) {
      const pull = pullOf(call)
      return listAnswer(call, await call.repository.git.commitsBetween(pull.baseSha, pull.headSha), (commit) =>
        commitPayload(call.links, call.repository, commit),
      )
    },
  },
  {
    method: 'GET',
    path: `${PULLS}/:number/merge`,
    run(call) {
      if (!pullOf(call).merged) throw new Refusal('not-found')
      return { status: 204 }
    },
  },
  { method: 'PUT', path: `${PULLS}/:number/merge`, run: merge },
]

export function pullOf(call: Call): Pull {
  return findPull(call.repository, numberParam(call, 'number'))
}

async function showPull(call: Call, pull: Pull): Promise<unknown> {
  return fullPullPayload(
    call.links,
    call.repository,
    pull,
    await viewMergeability(call.repository, pull, call.faults.strikeMergeability()),
  )
}

async function merge(call: Call): Promise<Answer> {
  const { sha, merge_method: method, commit_title: title, commit_message: message } = readMerge(call)
  const input = {
    ...(sha === undefined ? {} : { sha }),
    ...(method === undefined ? {} : { method }),
    ...(title === undefined ? {} : { title }),
    ...(message === undefined ? {} : { message }),
  }
  const merged = await mergePull(call.world, call.repository, call.writer, pullOf(call), input)
  return { body: { sha: merged, merged: true, message: 'Pull Request successfully merged' } }
}

/** `owner:branch` names a branch of a fork; here the only owner there is is this repository's. */
function ownBranch(call: Call, head: string): string {
  const [, owner, branch] = /^([^:]+):(.+)$/.exec(head) ?? []
  if (owner === undefined || branch === undefined) return head
  if (owner.toLowerCase() !== call.repository.owner.login.toLowerCase())
    throw new Refusal('invalid', { resource: 'PullRequest', field: 'head', detail: head })
  return branch
}

function selected(call: Call): Pull[] {
  const { state = 'open', head, base, sort = 'created', direction = sort === 'created' ? 'desc' : 'asc' } = call.query
  const owner = call.repository.owner.login
  const found = pullsOf(call.repository).filter(
    (pull) =>
      (state === 'all' || pull.state === state) &&
      (head === undefined || head === `${owner}:${pull.head}` || !head.includes(':')) &&
      (base === undefined || base === pull.base),
  )
  const ascending = found.toSorted(
    (one, other) =>
      (sort === 'updated' ? one.updatedAt.localeCompare(other.updatedAt) : 0) || one.number - other.number,
  )
  return direction === 'asc' ? ascending : ascending.toReversed()
}
