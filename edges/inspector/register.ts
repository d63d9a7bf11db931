/**
 * The state-chart visualizer: page, API and live feed under /inspector. It reads and never sends an event (INSPECTOR-RULE-1).
 * Open to a browser by a one-time link (`tickets.mint()`, then `/inspector?ticket=...`) or by sign-in at the identity
 * provider, to programs by a bearer token (INSPECTOR-RULE-2). Call it before the server listens.
 */
import type { HttpApp } from '../../http/app.ts'
import { protect } from '../../http/auth/authenticate.ts'
import { visible } from '../../http/operational/visible.ts'
import { authenticateViewer } from './access/access.ts'
import { readAssets } from './assets.ts'
import type { InspectorDeps } from './deps.ts'
import { Feed } from './feed.ts'
import { serveLive } from './live.ts'
import { actorRoutes } from './routes/actor.ts'
import { actorsRoutes } from './routes/actors.ts'
import { boardRoute } from './routes/board.ts'
import { chartRoutes, pageRoutes } from './routes/page.ts'
import { signInRoutes } from './routes/sign-in.ts'
import { escaped } from './routes/send-page.ts'
import { seenTexts } from './readings/seen-texts.ts'
import { storyRoute } from './routes/story.ts'

export async function registerInspector(app: HttpApp, deps: InspectorDeps): Promise<void> {
  const assets = await readAssets(deps.definitions.map(({ kind }) => kind))
  const feed = new Feed(deps)
  const page = (me?: string): string => assets.html.replace('<body>', () => bodyOf(deps, me))
  pageRoutes(app, deps, assets, page)
  signInRoutes(app, deps, page)
  await app.register(
    async (scope) => {
      protect(scope, authenticateViewer(deps))
      scope.addHook('preSerialization', async (_request, _reply, answer) => seenTexts(answer))
      scope.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'))
      actorsRoutes(scope, deps, feed)
      actorRoutes(scope, deps)
      storyRoute(scope, deps)
      boardRoute(scope, '/board', deps, true)
      chartRoutes(scope, assets)
    },
    { prefix: '/inspector/api' },
  )
  serveLive(app, deps, feed)
}

/** What the page has to know before its first reading. */
function bodyOf({ signIn, file }: InspectorDeps, me: string | undefined): string {
  const named = Object.entries({ me, file }).map(([name, text]) =>
    text === undefined ? '' : ` data-${name}="${escaped(visible(text))}"`,
  )
  return `<body${signIn === undefined ? '' : ' data-sign-in'}${named.join('')}>`
}
