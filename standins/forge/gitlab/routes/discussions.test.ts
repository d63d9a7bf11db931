import { expect } from 'vitest'
import { PROJECT, withGitlab, type GitlabFixture } from '../../testing/gitlab.ts'
import { testInside } from '../../../../testing/inside.ts'

const ONE = `/projects/${encodeURIComponent(PROJECT)}/merge_requests/1`

interface Scene extends GitlabFixture {
  position(change: object): Record<string, unknown>
}

/** !1 changes line 31 of `src/add.js`: removed 31, added 31; 30 and 32 lie between. */
function withRequest(use: (scene: Scene) => Promise<void>): Promise<void> {
  return withGitlab({}, async (fixture) => {
    const folder = await fixture.clone('bot')
    const lines = Array.from({ length: 30 }, (_, line) => `// line ${line + 1}`).join('\n')
    const text = `${lines}\nexport function sum(a, b) {\n  return a + b\n}\n`
    await fixture.push(folder, 'x', { 'src/add.js': text })
    const { diff_refs: refs } = await fixture.gitlab('bot').MergeRequests.create(PROJECT, 'x', 'main', 'Title')
    const path = { old_path: 'src/add.js', new_path: 'src/add.js', position_type: 'text' }
    await use({ ...fixture, position: (change) => ({ ...(refs as object), ...path, ...change }) })
  })
}

const it = testInside(withRequest)

it('a line takes a note by its own numbers alone: added, removed, or between with both', async ({ ask, position }) => {
  const post = (change: object): ReturnType<typeof ask> =>
    ask('reader', 'POST', `${ONE}/discussions`, { body: 'Here', position: position(change) })
  for (const lines of [{ new_line: 31 }, { old_line: 31 }, { old_line: 30, new_line: 30 }]) {
    const { status, body } = await post(lines)
    const shown = { old_line: null, new_line: null, ...lines }
    expect([status, body]).toMatchObject([
      201,
      { individual_note: false, notes: [{ type: 'DiffNote', position: shown }] },
    ])
  }
  const wrong = [{ new_line: 30 }, { old_line: 31, new_line: 31 }, { new_line: 5 }, {}, { new_line: 31, base_sha: '1' }]
  for (const lines of wrong) {
    expect(await post(lines)).toMatchObject({ status: 400, body: { message: expect.stringContaining('line_code') } })
  }
  expect(await post({ head_sha: undefined })).toMatchObject({ body: { error: 'position[head_sha] is missing' } })
  expect((await ask('bot', 'GET', `${ONE}/discussions`)).body).toHaveLength(3)
})

it('a client that sends a form is understood, and the discussion is answered, resolved and opened again', async (fixture) => {
  const { gitlab, position } = fixture
  const { MergeRequestDiscussions } = gitlab('bot')
  const { base_sha: baseSha, start_sha: startSha, head_sha: headSha } = position({})
  const place = {
    baseSha,
    startSha,
    headSha,
    positionType: 'text',
    oldPath: 'src/add.js',
    newPath: 'src/add.js',
    newLine: '31',
  }
  const made = await MergeRequestDiscussions.create(PROJECT, 1, 'Form', { position: place as never })
  expect(made.notes).toMatchObject([{ position: { new_line: 31 } }])
  await MergeRequestDiscussions.addNote(PROJECT, 1, made.id, 'Answer')
  const resolved = await MergeRequestDiscussions.resolve(PROJECT, 1, made.id, true)
  expect(resolved.notes).toMatchObject([
    { body: 'Form', resolved: true, resolved_by: { username: 'bot' } },
    { body: 'Answer', type: 'DiffNote', resolved: true },
  ])
  const opened = await MergeRequestDiscussions.resolve(PROJECT, 1, made.id, false)
  expect(opened.notes).toMatchObject([{ resolved: false, resolved_by: null }, { resolved: false }])
})

it('a note that stands alone becomes a discussion by its first answer', async ({ gitlab, forge, ask }) => {
  forge.comment('reader', PROJECT, 1, 'Alone', 'pull')
  const { MergeRequestDiscussions, MergeRequestNotes } = gitlab('bot')
  const [alone] = await MergeRequestDiscussions.all(PROJECT, 1)
  expect(alone).toMatchObject({ individual_note: true, notes: [{ type: null, resolvable: false }] })
  const id = alone?.id ?? ''
  expect((await ask('bot', 'PUT', `${ONE}/discussions/${id}`, { resolved: true })).status).toBe(403)
  await MergeRequestDiscussions.addNote(PROJECT, 1, id, 'Answer')
  expect(await MergeRequestDiscussions.show(PROJECT, 1, id)).toMatchObject({
    individual_note: false,
    notes: [{ body: 'Alone', type: 'DiscussionNote', resolvable: true }, { body: 'Answer' }],
  })
  expect((await MergeRequestNotes.all(PROJECT, 1)).map((note) => note.body)).toEqual(['Answer', 'Alone'])
  expect((await ask('bot', 'GET', `${ONE}/discussions/${'0'.repeat(40)}`)).status).toBe(404)
})

it('drafts are their author’s alone until they are published together, one note each', async (fixture) => {
  const { gitlab, ask, position, forge } = fixture
  const draft = (body: object): ReturnType<typeof ask> => ask('bot', 'POST', `${ONE}/draft_notes`, body)
  const made = await draft({ note: 'On a line', position: position({ new_line: 31 }) })
  expect(made).toMatchObject({ status: 201, body: { note: 'On a line', line_code: expect.stringMatching(/_0_31$/) } })
  await draft({ note: 'On the whole' })
  forge.comment('reader', PROJECT, 1, 'Alone', 'pull')
  const [alone] = await gitlab('bot').MergeRequestDiscussions.all(PROJECT, 1)
  await draft({ note: 'An answer', in_reply_to_discussion_id: alone?.id })
  expect((await ask('reader', 'GET', `${ONE}/draft_notes`)).body).toEqual([])
  expect((await ask('bot', 'GET', `${ONE}/draft_notes`)).body).toHaveLength(3)
  expect((await ask('bot', 'POST', `${ONE}/draft_notes/bulk_publish`)).status).toBe(204)
  expect((await ask('bot', 'GET', `${ONE}/draft_notes`)).body).toEqual([])
  const discussions = await gitlab('bot').MergeRequestDiscussions.all(PROJECT, 1)
  expect(discussions.map((one) => one.notes?.map((note) => [note.type, note.body]))).toEqual([
    [
      ['DiscussionNote', 'Alone'],
      ['DiscussionNote', 'An answer'],
    ],
    [['DiffNote', 'On a line']],
    [['DiscussionNote', 'On the whole']],
  ])
})

it('a draft on no line of the diff is taken without a line code, and lost when it is published', async (fixture) => {
  const { ask, position } = fixture
  const made = await ask('bot', 'POST', `${ONE}/draft_notes`, { note: 'Off', position: position({ new_line: 5 }) })
  expect(made).toMatchObject({ status: 201, body: { line_code: null } })
  const { id } = made.body as { id: number }
  expect((await ask('bot', 'PUT', `${ONE}/draft_notes/${id}`, { note: 'Still off' })).status).toBe(200)
  expect((await ask('bot', 'POST', `${ONE}/draft_notes/bulk_publish`)).status).toBe(204)
  expect((await ask('bot', 'GET', `${ONE}/draft_notes`)).body).toEqual([])
  expect((await ask('bot', 'GET', `${ONE}/discussions`)).body).toEqual([])
  await ask('bot', 'POST', `${ONE}/draft_notes`, { note: 'Never' })
  const [draft] = (await ask('bot', 'GET', `${ONE}/draft_notes`)).body as Array<{ id: number }>
  expect((await ask('bot', 'DELETE', `${ONE}/draft_notes/${draft?.id}`)).status).toBe(204)
})
