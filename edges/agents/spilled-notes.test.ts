import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ATask } from '../../machines/testing/a-task.ts'
import type { Note, TaskContext } from '../../machines/task/context.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { bodyHash } from '../forge/hash.ts'
import { collectBundle } from './bundle/collect.ts'
import { bytesOf, escapeText } from './bundle/escape.ts'
import { renderBundle } from './bundle/render.ts'
import { agentMigrations } from './ci-store.ts'
import { mostNoteBytes, spill, spillFor, withWords } from './spilled-notes.ts'
import { aThreadReader, reading } from './testing/fixture.ts'

let sql: Sql
beforeAll(async () => {
  sql = await openSharedSql([agentMigrations])
})
beforeEach(() => sql.exec('truncate spilled_note'))
afterAll(() => sql.close())

interface Written {
  readonly kind: 'plan' | 'handoff' | 'note'
  readonly body: string
}

/** A Task whose pod writes these notes, each as its route does. */
async function journalOf(written: readonly Written[]): Promise<TaskContext> {
  const task = new ATask().mint().running()
  for (const [n, { kind, body }] of written.entries()) {
    const {
      id,
      journal: { notes },
    } = task.context
    const spilled = spillFor(notes, body)
    await spill(sql, id, notes, spilled)
    const note = { pod: 1, id: `note-${n}`, kind, body, bodyHash: bodyHash(body) }
    task.send('note.written', { ...note, ...(spilled === 0 ? {} : { spilled }) })
  }
  return task.context
}

function bodiesOf(notes: readonly Pick<Note, 'body'>[]): readonly string[] {
  return notes.map(({ body }) => body)
}

/** What the Task's own row holds of their words. */
function heldBytes({ journal: { notes } }: TaskContext): number {
  return notes.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
}

function bundleOf(task: TaskContext, notes: 'recent' | 'all'): ReturnType<typeof collectBundle> {
  const deps = { runtime: reading({}) as never, gatedThreads: aThreadReader({}), sql, lifeOf: async () => undefined }
  return collectBundle(deps, task, { notes, eventsUpTo: 0 })
}

const text = fc.oneof(
  fc.constantFrom('x', 'ß', '漢', '\u0000', '\uD83D\uDE00', '\uD800', '"\\\n'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
)
const note = fc.record({
  kind: fc.constantFrom('plan', 'handoff', 'note', 'note', 'note'),
  body: fc
    .tuple(text, fc.integer({ min: 1, max: 32_768 }))
    .map(([part, length]) => part.repeat(Math.ceil(length / part.length)).slice(0, length)),
}) satisfies fc.Arbitrary<Written>

describe('the notes of a Task', () => {
  it('are all there, in their order and to the letter, however many there are, and its row stays small (TOOL-TASK-9, TOOL-NOTE-9, STORE-FACT-2)', async () => {
    let spilt = 0
    await fc.assert(
      fc.asyncProperty(fc.array(note, { minLength: 10, maxLength: 60 }), async (written) => {
        await sql.exec('truncate spilled_note')
        const task = await journalOf(written)
        spilt += task.journal.notes.filter(({ spilled }) => spilled).length
        expect(bodiesOf(await withWords(sql, task.id, task.journal.notes))).toEqual(bodiesOf(written))
        expect(bodiesOf((await bundleOf(task, 'all')).notes)).toEqual(bodiesOf(written))
        expect(heldBytes(task)).toBeLessThanOrEqual(mostNoteBytes)
        expect(task.journal.notes.map(({ id, kind, bodyHash: hash }) => ({ id, kind, hash }))).toEqual(
          written.map(({ kind, body }, n) => ({ id: `note-${n}`, kind, hash: bodyHash(body) })),
        )
      }),
      { numRuns: 25 },
    )
    expect(spilt).toBeGreaterThan(0)
  }, 120_000)

  it('never carry a bundle over its budget; it shows the newest, counts all, and names the call for the rest (BUNDLE-15, BUNDLE-BUDGET-5)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(note, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 2000, max: 400_000 }),
        async (written, maxBytes) => {
          await sql.exec('truncate spilled_note')
          const input = await bundleOf(await journalOf(written), 'recent')
          const { text: shown } = renderBundle(input, { maxBytes, eventsInside: true })
          expect(bytesOf(shown)).toBeLessThanOrEqual(maxBytes)
          const [, total, rendered, elided, fetch] =
            /<notes total="(\d+)" rendered="(\d+)" elided="(\d+)"( fetch="[^"]*")?>/.exec(shown) ?? []
          expect(Number(total)).toBe(written.length)
          expect(Number(rendered) + Number(elided)).toBe(written.length)
          expect(fetch).toBe(Number(elided) === 0 ? undefined : ` fetch="task_context(task=${input.task}, notes=all)"`)
          const bodies = [...shown.matchAll(/<note [^>]*>([^<]*)<\/note>/g)].map(([, body]) => body)
          expect(bodies).toHaveLength(Number(rendered))
          if (bodies.length > 0) expect(bodies.at(-1)).toBe(escapeText(written.at(-1)!.body))
        },
      ),
      { numRuns: 25 },
    )
  }, 120_000)

  it('are shown whole to who asks for all, whatever the budget, and every other thing within it (TOOL-TASK-9)', async () => {
    const written = Array.from({ length: 40 }, (_, n) => ({ kind: 'note', body: `${n} `.repeat(8000) }) as const)
    const task = await journalOf(written)
    const input = await bundleOf(task, 'all')
    const options = { maxBytes: 20_000, eventsInside: true, wholeNotes: true }
    const { text: shown } = renderBundle(input, options)
    expect(shown).toContain('<notes total="40" rendered="40" elided="0">')
    for (const { body } of written) expect(shown).toContain(escapeText(body))
    const others = shown.slice(0, shown.indexOf('<notes')) + shown.slice(shown.indexOf('</notes>'))
    expect(bytesOf(others)).toBeLessThanOrEqual(20_000)
  })

  it('that the next pod goes on from are in its bundle though they were spilled (BUNDLE-3)', async () => {
    const many = Array.from({ length: 40 }, (_, n) => ({ kind: 'note', body: `${n}`.padEnd(30_000, '.') }) as const)
    const task = await journalOf([{ kind: 'plan', body: 'the plan' }, ...many])
    expect(task.journal.notes[0]).toMatchObject({ kind: 'plan', body: '', spilled: true })
    expect((await bundleOf(task, 'recent')).notes[0]).toMatchObject({ kind: 'plan', body: 'the plan' })
  })

  it('lose nothing when the store was told and the Task was not, or was told twice (TOOL-NOTE-9)', async () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ kind: 'note', body: `${n}`.padEnd(30_000, '.') }) as const)
    const task = await journalOf(many)
    await spill(sql, task.id, task.journal.notes, 15)
    await spill(sql, task.id, task.journal.notes, 15)
    expect(bodiesOf(await withWords(sql, task.id, task.journal.notes))).toEqual(bodiesOf(many))
  })

  it('of another Task are none of its own', async () => {
    const notes = [{ body: 'mine' } as Note]
    await spill(sql, 'default/one', notes, 1)
    const emptied = [{ body: '', spilled: true } as Note]
    expect(bodiesOf(await withWords(sql, 'default/one', emptied))).toEqual(['mine'])
    expect(bodiesOf(await withWords(sql, 'default/two', emptied))).toEqual([''])
  })
})
