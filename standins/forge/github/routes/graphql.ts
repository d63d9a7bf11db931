import { Type } from 'typebox'
import { demand } from '../../store/permissions.ts'
import type { Edit, Repository } from '../../store/records.ts'
import { HttpRefusal } from '../../rest.ts'
import { bodyOf, type Call, type Route } from '../call.ts'
import { nodeId } from '../payloads/common.ts'

const readBody = bodyOf(
  Type.Object({ query: Type.String(), variables: Type.Object({ ids: Type.Array(Type.String(), { maxItems: 100 }) }) }),
  'Query',
)

/** Who edited comments: the only question that is understood. */
export const graphqlRoute: Route = {
  method: 'POST',
  path: '/api/graphql',
  run(call) {
    const { query, variables } = readBody(call)
    if (!/nodes\(ids: \$ids\) \{\s*\.\.\. on Comment \{/.test(query))
      throw new HttpRefusal(400, 'Problems parsing the query')
    const known = new Map(readable(call).flatMap(commentsIn))
    const nodes = variables.ids.map((id) => known.get(id) ?? null)
    const errors = nodes.flatMap((node, at) => (node === null ? [missing(variables.ids[at]!, at)] : []))
    return { body: { data: { nodes }, ...(errors.length === 0 ? {} : { errors }) } }
  },
}

function missing(id: string, at: number): object {
  const message = `Could not resolve to a node with the global id of '${id}'.`
  return { type: 'NOT_FOUND', path: ['nodes', at], locations: [{ line: 1, column: 1 }], message }
}

function readable({ world, actor }: Call): readonly Repository[] {
  return [...world.repositories.values()].filter((repository) => {
    try {
      demand(repository, actor, 'read')
      return true
    } catch {
      return false
    }
  })
}

type Node = readonly [id: string, node: object]

function commentsIn({ issues }: Repository): readonly Node[] {
  return [...issues.values()].flatMap((issue) => [
    ...[...issue.comments.values()].map((one) => nodeOf('IssueComment', one)),
    ...(issue.kind === 'pull' ? [...issue.reviews.values()].map((one) => nodeOf('PullRequestReview', one)) : []),
    ...(issue.kind === 'pull'
      ? [...issue.reviewComments.values()].map((one) => nodeOf('PullRequestReviewComment', one))
      : []),
  ])
}

function nodeOf(
  type: string,
  { id, body, edit }: { readonly id: number; readonly body: string; readonly edit?: Edit },
): Node {
  return [nodeId(type, id), { body, lastEditedAt: edit?.at ?? null, editor: edit ? { login: edit.by } : null }]
}
