/** The four cron blocks: what each does with the backlog of its run. */
import { cronBlock, finishing } from './block.ts'
import { is, meta, type Part } from './chart.ts'
import { blockOf } from './context.ts'
import { answers, on } from './decide.ts'
import { document, floorLeft, handOut, hasProposalRoom, noteTrouble, startSession, troubleOf, upgrade } from './runs.ts'

const issueScan = cronBlock({
  name: 'issueScan',
  says: 'the issue scan',
  prepares: true,
  rows: [{ target: '#issueScan.planning', actions: 'issueScan.handOut' }],
  own: {
    actions: { 'issueScan.handOut': on('backlog.read', (context, { backlog }) => handOut(context, backlog)) },
    guards: {},
    delays: {},
  },
})

const brainstorm = cronBlock({
  name: 'brainstorm',
  says: 'the brainstorm',
  prepares: true,
  rows: [
    { guard: 'brainstorm.roomy', target: '#brainstorm.running.working', actions: 'brainstorm.start' },
    { target: '#brainstorm.planning', actions: 'brainstorm.finish' },
  ],
  states: {
    working: {
      meta: meta('task', 'the brainstorm: its Task looks for work to propose', 'it ends; at most 4 hours'),
      on: {
        'task.ended': [
          { guard: 'brainstorm.delivered', target: '#brainstorm.planning', actions: 'brainstorm.finish' },
          { guard: 'brainstorm.ended', target: '#brainstorm.planning', actions: 'brainstorm.fell' },
        ],
      },
    },
  },
  gate: {
    guard: 'brainstorm.tooSoon',
    state: {
      meta: meta('project', 'the brainstorm: the last session was too recent', 'the floor between two sessions'),
      after: { 'brainstorm.floor': { target: 'due', actions: 'tellTime' } },
    },
  },
  own: {
    actions: {
      ...finishing('brainstorm'),
      'brainstorm.start': on('backlog.read', (context, { backlog }) => startSession(context, backlog)),
      'brainstorm.fell': on('task.ended', (context, ended) => noteTrouble(context, 'brainstorm', troubleOf(ended))),
    },
    guards: {
      'brainstorm.roomy': ({ context, event }) =>
        is(event, 'backlog.read') &&
        answers(context, 'brainstorm', event.run) &&
        hasProposalRoom(context, event.backlog),
      'brainstorm.delivered': ({ context, event }) =>
        is(event, 'task.ended') && event.task === blockOf(context, 'brainstorm').task && event.stage === 'delivered',
      'brainstorm.ended': ({ context, event }) =>
        is(event, 'task.ended') && event.task === blockOf(context, 'brainstorm').task,
      'brainstorm.tooSoon': ({ context }) => floorLeft(context) > 0,
    },
    delays: { 'brainstorm.floor': ({ context }) => floorLeft(context) },
  },
})

const documentation = cronBlock({
  name: 'documentation',
  says: 'the nightly documentation',
  prepares: false,
  handsOver: true,
  rows: [{ target: '#documentation.planning', actions: 'documentation.mint' }],
  own: {
    actions: { 'documentation.mint': on('backlog.read', (context, { backlog }) => document(context, backlog)) },
    guards: {},
    delays: {},
  },
})

const upgrades = cronBlock({
  name: 'upgrade',
  says: 'the upgrade',
  prepares: false,
  handsOver: true,
  rows: [{ target: '#upgrade.planning', actions: 'upgrade.mint' }],
  own: {
    actions: { 'upgrade.mint': on('backlog.read', (context, { backlog }) => upgrade(context, backlog)) },
    guards: {},
    delays: {},
  },
})

export const blocks: readonly Part[] = [issueScan, brainstorm, documentation, upgrades]
