import type { HttpApp } from '../../../http/app.ts'
import { Problem } from '../../../http/problems/problem.ts'
import type { InspectorDeps } from '../deps.ts'
import { StoryAnswer, readStory } from '../readings/read-story.ts'
import { ActorQuery } from './actor.ts'

export function storyRoute(app: HttpApp, deps: InspectorDeps): void {
  app.get(
    '/story',
    { schema: { hide: true, querystring: ActorQuery, response: { 200: StoryAnswer } } },
    async ({ query }) => {
      const story = await readStory(deps, query.address)
      if (story === undefined) throw new Problem('not-found', 'there is no such Task')
      return story
    },
  )
}
