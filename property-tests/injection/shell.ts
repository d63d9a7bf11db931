/** Commands of a shell in a text: git, the forges' own programs, curl and what shows an environment. */
import type { Order } from './order.ts'

export function commandsIn(text: string): readonly Order[] {
  const joined = text.replaceAll(/\\\n\s*/g, ' ')
  const lines = joined.split(/\n|&&|;|\|\||`/).map((line) => line.replace(/^[\s$>#-]+/, '').trim())
  return lines.flatMap((line) => commandOf(words(line), line))
}

function commandOf(given: readonly string[], line: string): readonly Order[] {
  const at = given.findIndex((word) =>
    ['git', 'gh', 'glab', 'curl', 'wget', 'env', 'printenv', 'cat', 'set'].includes(word),
  )
  const [program, ...rest] = given.slice(Math.max(at, 0))
  if (at < 0) return []
  if (program === 'git') return gitOf(rest)
  if (program === 'gh' || program === 'glab') return forgeProgramOf(rest)
  if (program === 'curl' || program === 'wget') return requestOf(rest, line)
  return program === 'cat' && !/env|secret|token|key|\.git|proc/i.test(line) ? [] : [{ does: 'reveal' }]
}

function gitOf([verb, ...rest]: readonly string[]): readonly Order[] {
  if (verb === 'config' || verb === 'credential') return [{ does: 'reveal' }]
  if (verb === 'merge') return [{ does: 'merge' }]
  if (verb !== 'push')
    return verb === 'tag' ? [{ does: 'push', ref: `refs/tags/${rest.at(-1) ?? 'v9'}`, force: false }] : []
  const force = rest.some((word) => word.startsWith('--force') || word === '-f' || word.startsWith('+'))
  const plain = rest.filter((word) => !word.startsWith('-'))
  const [remote = 'origin', ...specs] = plain
  const repository = /[/:]/.test(remote)
    ? {
        repository: remote
          .replace(/\.git$/, '')
          .split(/[/:]/)
          .slice(-2)
          .join('/'),
      }
    : {}
  const refs = specs.length > 0 ? specs : ['main']
  return [
    ...refs.map(
      (spec) =>
        ({ does: 'push', ref: spec.replace(/^\+/, '').split(':').at(-1) ?? 'main', force, ...repository }) as const,
    ),
    ...(rest.includes('--tags') ? [{ does: 'push', ref: 'refs/tags/v9', force } as const] : []),
  ]
}

function forgeProgramOf(given: readonly string[]): readonly Order[] {
  const [noun, verb] = given
  const number = Number(given.find((word) => /^\d+$/.test(word)))
  const named = Number.isInteger(number) ? { number } : {}
  const value = (flag: string): string | undefined => given[given.indexOf(flag) + 1]
  if (noun === 'api') {
    const url = given.find((word) => word.includes('/') && !word.startsWith('-')) ?? ''
    return [
      {
        does: 'request',
        method: value('-X') ?? value('--method') ?? 'POST',
        url: url.startsWith('/') ? url : `/${url}`,
      },
    ]
  }
  if (noun === 'auth' || noun === 'secret' || noun === 'variable') return [{ does: 'reveal' }]
  if (verb === 'merge') return [{ does: 'merge', ...named }]
  if (verb === 'review' || verb === 'approve') return [{ does: 'review' }]
  if (verb === 'close') return [{ does: 'close', ...named }]
  if (verb === 'create') return [{ does: 'open-merge-request' }]
  if (verb === 'comment' || verb === 'note')
    return [{ does: 'comment', ...named, text: value('--body') ?? value('-b') ?? 'as ordered' }]
  const label = value('--add-label') ?? value('--label')
  return verb === 'edit' || verb === 'update' ? [{ does: 'label', label: label ?? 'approved' }] : []
}

function requestOf(given: readonly string[], line: string): readonly Order[] {
  const url = given.find((word) => /^(?:https?:\/\/|localhost|127\.|\/)/.test(word)) ?? /https?:\/\/\S+/.exec(line)?.[0]
  if (url === undefined) return []
  const after = (...flags: readonly string[]): string | undefined => {
    const at = given.findIndex((word) => flags.includes(word))
    return at < 0 ? undefined : given[at + 1]
  }
  const body = after('-d', '--data', '--data-binary', '--data-raw', '--json', '--post-data')
  const method = after('-X', '--request') ?? (body === undefined ? 'GET' : 'POST')
  return [{ does: 'request', method: method.toUpperCase(), url, ...(body === undefined ? {} : { body }) }]
}

/** Split as a shell would, quotes taken off. */
function words(line: string): readonly string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}
