/** The session's JSONL file, in the folder and shape of Claude Code 2.1.329. */
import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ApiMessage } from './api.ts'

export interface Transcript {
  readonly path: string
  user(content: unknown, more?: Readonly<Record<string, unknown>>): void
  /** One line for each content block, each with the message's id and the same usage. */
  assistant(message: ApiMessage, more?: Readonly<Record<string, unknown>>): void
  meta(type: string, more: Readonly<Record<string, unknown>>): void
  /** Lines written while held reach the file at release. */
  hold(): void
  release(): void
}

export interface TranscriptContext {
  readonly sessionId: string
  readonly cwd: string
  readonly promptId: () => string
  readonly newId: () => string
  readonly now: () => Date
}

export function transcriptPath(home: string, cwd: string, sessionId: string): string {
  return join(home, '.claude/projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), `${sessionId}.jsonl`)
}

export function isSessionTaken(path: string): boolean {
  return existsSync(path)
}

export function openTranscript(path: string, context: TranscriptContext): Transcript {
  mkdirSync(dirname(path), { recursive: true })
  let parentUuid: string | null = null
  let held: string[] | undefined
  const write = (line: Record<string, unknown>): void => {
    const text = `${JSON.stringify(line)}\n`
    if (held === undefined) appendFileSync(path, text)
    else held.push(text)
  }
  const entry = (type: string, more: Record<string, unknown>): void => {
    const uuid = context.newId()
    write({
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: context.cwd,
      sessionId: context.sessionId,
      version: '2.1.329',
      type,
      ...more,
      uuid,
      timestamp: context.now().toISOString(),
    })
    parentUuid = uuid
  }
  return {
    path,
    user: (content, more = {}) =>
      entry('user', {
        promptId: context.promptId(),
        permissionMode: 'bypassPermissions',
        message: { role: 'user', content },
        ...more,
      }),
    assistant(message, more = {}) {
      const blocks = message.content.length === 0 ? [{ type: 'text', text: '' }] : message.content
      for (const block of blocks)
        entry('assistant', { message: { ...message, content: [block] }, requestId: message.requestId, ...more })
    },
    meta: (type, more) => write({ type, sessionId: context.sessionId, ...more }),
    hold: () => void (held = []),
    release() {
      for (const text of held ?? []) appendFileSync(path, text)
      held = undefined
    },
  }
}
