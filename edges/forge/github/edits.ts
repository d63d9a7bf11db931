/** Who edited comments last. REST does not say, so this is asked by GraphQL. */
import type { Octokit } from '@octokit/rest'
import { TerminalError } from '../../../runtime/errors.ts'
import type { CommentEdits, ForgeComment, ForgePort } from '../port.ts'
import type { GithubClient } from './client.ts'
import * as schema from './schema.ts'

/** docs.github.com, "Queries": `nodes` takes 100 ids. */
const MOST_NODES = 100

const editsQuery = `query ($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on Comment {
      body
      lastEditedAt
      editor {
        login
      }
    }
  }
}`

export function editPart(client: GithubClient): Pick<ForgePort, 'editsOf'> {
  return {
    async editsOf(comments) {
      const named = comments.filter(({ node }) => node !== undefined)
      const found: CommentEdits[] = []
      for (let at = 0; at < named.length; at += MOST_NODES)
        found.push(...(await askEdits(client, named.slice(at, at + MOST_NODES))))
      return found
    },
  }
}

/** A token that may not ask learns nothing, as of a comment that is gone. */
async function askEdits(client: GithubClient, comments: readonly ForgeComment[]): Promise<readonly CommentEdits[]> {
  const ids = comments.map(({ node }) => node)
  const answer = client.read('read edits', schema.Edits, async (rest) => ({ data: await nodesOf(rest, ids) }))
  const { nodes } = await answer.catch(withoutAnswer)
  return comments.flatMap(({ id }, index): readonly CommentEdits[] => {
    const { body, lastEditedAt, editor } = nodes[index] ?? {}
    if (body === undefined) return []
    if (!lastEditedAt) return [{ id, body }]
    return editor ? [{ id, body, by: editor.login }] : []
  })
}

/** Beside what it answers it may say what it does not. */
async function nodesOf(rest: Octokit, ids: readonly unknown[]): Promise<unknown> {
  return rest.graphql(editsQuery, { ids }).catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'GraphqlResponseError' && 'data' in error)) throw error
    return error.data ?? { nodes: [] }
  })
}

function withoutAnswer(error: unknown): { readonly nodes: [] } {
  if (error instanceof TerminalError) return { nodes: [] }
  throw error
}
