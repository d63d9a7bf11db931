/** Hooks by the dialect of each: whose words carry an event, and how a delivery is signed. */
import { createLinks as createGithubLinks, type Links as GithubLinks } from './github/links.ts'
import * as github from './github/webhooks.ts'
import { createLinks as createGitlabLinks, type Links as GitlabLinks } from './gitlab/links.ts'
import { noteByForge } from './gitlab/system-notes.ts'
import { collectUpdates } from './gitlab/updates.ts'
import * as gitlab from './gitlab/webhooks.ts'
import type { ForgeEvent } from './store/events.ts'
import type { Hook, Repository } from './store/records.ts'
import type { World } from './store/world.ts'
import type { Attempt, Message, Sender } from './webhooks/sender.ts'

export interface DialectLinks {
  readonly github: GithubLinks
  readonly gitlab: GitlabLinks
}

export function createDialectLinks(url: string): DialectLinks {
  return { github: createGithubLinks(url), gitlab: createGitlabLinks(url) }
}

/** From now on each event of the store goes to the hooks that want it. */
export function sendEvents(world: World, links: () => DialectLinks, sender: Pick<Sender, 'send'>): void {
  world.listeners.add((event) => noteByForge(world, event))
  world.listeners.add(sendToGithub)
  world.listeners.add(collectUpdates(() => links().gitlab, sendToGitlab))

  function sendToGithub(event: ForgeEvent): void {
    const hooks = event.type === 'hook.created' ? [event.hook] : [...event.repository.hooks.values()]
    const message = github.formatEvent(links().github, event)
    for (const hook of hooks.filter(({ dialect }) => dialect === 'github'))
      if (event.type === 'hook.created' || github.subscribes(hook, message.event))
        sender.send(event.repository, hook, message)
  }

  function sendToGitlab(repository: Repository, message: Message): void {
    for (const hook of repository.hooks.values())
      if (hook.dialect === 'gitlab' && gitlab.subscribes(hook, message.event, world.now()))
        sender.send(repository, hook, message)
  }
}

/** `uuid`: of names that no two attempts share, where they are not to be random. */
export function signDelivery(world: World, hook: Hook, guid: string, message: Message, uuid?: () => string): Attempt {
  if (hook.dialect === 'gitlab') return gitlab.signDelivery(hook, guid, message, uuid)
  return github.signDelivery(({ id }) => repositoryIdOf(world, id), hook, guid, message)
}

function repositoryIdOf({ repositories }: World, hook: number): number {
  return [...repositories.values()].find((repository) => repository.hooks.has(hook))?.id ?? 0
}
