import { Type } from 'typebox'
import { branchOf, ZERO_SHA } from '../../git/refs.ts'
import { deleteBranch } from '../../store/merge.ts'
import { demand } from '../../store/permissions.ts'
import { acceptPush } from '../../store/push.ts'
import { Refusal } from '../../store/refusal.ts'
import { bodyOf, type Call, type Route } from '../call.ts'
import { HttpRefusal } from '../../rest.ts'
import { listAnswer } from '../paging.ts'
import type { Json } from '../payloads/common.ts'

const REPO = '/repos/:owner/:repo'

const NewRef = Type.Object({
  ref: Type.String({ pattern: '^refs/heads/.+' }),
  sha: Type.String({ pattern: '^[0-9a-f]{40}$' }),
})
const readNewRef = bodyOf(NewRef, 'Reference')

export const refRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: `${REPO}/git/ref/*`,
    run: async (call) => ({ body: await refPayload(call, `refs/${call.params['*'] ?? ''}`) }),
  },
  {
    method: 'GET',
    path: `${REPO}/git/matching-refs/*`,
    async run(call) {
      const wanted = `refs/${call.params['*'] ?? ''}`
      const refs = (await call.repository.git.listRefs('refs/')).filter(({ ref }) => ref.startsWith(wanted))
      return listAnswer(call, refs, ({ ref, sha }) => refJson(call, ref, sha))
    },
  },
  { method: 'POST', path: `${REPO}/git/refs`, run: createRef },
  {
    method: 'DELETE',
    path: `${REPO}/git/refs/*`,
    async run(call) {
      const branch = branchOf(`refs/${call.params['*'] ?? ''}`)
      if (branch === undefined) throw new Refusal('ref-absent')
      await deleteBranch(call.world, call.repository, call.writer, branch)
      return { status: 204 }
    },
  },
]

async function refPayload(call: Call, ref: string): Promise<Json> {
  const sha = await call.repository.git.readRef(ref)
  if (!sha) throw new Refusal('not-found')
  return refJson(call, ref, sha)
}

function refJson(call: Call, ref: string, sha: string): Json {
  const url = `${call.links.repository(call.repository)}/git`
  return {
    ref,
    node_id: Buffer.from(`Ref:${ref}`).toString('base64'),
    url: `${url}/${ref}`,
    object: { type: 'commit', sha, url: `${url}/commits/${sha}` },
  }
}

async function createRef(call: Call): Promise<{ status: number; body: Json }> {
  const { ref, sha } = readNewRef(call)
  demand(call.repository, call.writer, 'write')
  if ((await call.repository.git.resolveCommit(sha)) !== sha) throw new HttpRefusal(422, 'Object does not exist')
  const update = { ref, before: ZERO_SHA, after: sha }
  if (!(await call.repository.git.moveRef(update))) throw new HttpRefusal(422, 'Reference already exists')
  await acceptPush(call.world, call.repository, call.writer.user, [update])
  return { status: 201, body: refJson(call, ref, sha) }
}
