import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lifecycleRows } from './lifecycle-rows.ts'

const citation = new RegExp(`\\b(${Object.keys(lifecycleRows).join('|')}) ([A-Za-z][\\w.-]*/[\\w.-]+):`, 'g')
const ruleId = /\b([A-Z]+(?:-[A-Z]+)*-\d+)\b/g
const title =
  /\b(?:test|it)(?:\.each\([\s\S]*?\))?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1|\]\s*(?:as const)?\)\(\s*(['"`])((?:\\.|(?!\3)[\s\S])*)\3/g

const here = import.meta.dirname

function titlesBelow(folder: string): readonly string[] {
  const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && path !== 'lifecycle-rows.test.ts')
    .map((path) => readFileSync(join(folder, path), 'utf8'))
  return tests.flatMap((text) => [...text.matchAll(title)].map((found) => found[2] ?? found[4] ?? ''))
}

const titles = titlesBelow(here)
const edgeTitles = ['edges', 'crd', 'orchestrator', 'cli', 'wrapper'].flatMap((folder) =>
  titlesBelow(join(here, '..', folder)),
)

function cited(pattern: RegExp, among = titles): ReadonlySet<string> {
  return new Set(among.flatMap((one) => [...one.matchAll(pattern)].map((found) => found.slice(1).join(' '))))
}

const rows = Object.entries(lifecycleRows).flatMap(([machine, all]) =>
  Object.keys(all).map((row) => `${machine} ${row}`),
)

test('every row of the lifecycles is cited by the title of a test', () => {
  const found = cited(citation)
  expect(rows.filter((row) => !found.has(row))).toEqual([])
})

test('every citation is a row', () => {
  expect([...cited(citation)].filter((row) => !rows.includes(row))).toEqual([])
})

/** Rules (docs/rules.md) that the machines themselves uphold. */
const rules = [
  ...['ACTOR-4', 'APPROVAL-1', 'APPROVAL-2', 'APPROVAL-7', 'APPROVAL-10', 'APPROVAL-11', 'FORGE-WRITES-2', 'HEAD-1'],
  ...['HEAD-2', 'INGEST-RULE-1', 'INGEST-RULE-3', 'ISSUE-1', 'ISSUE-2', 'ISSUE-7', 'MERGE-6', 'MERGE-10', 'MIRROR-1'],
  ...['NAME-4', 'NOTE-2', 'OUTCOME-RULE-2', 'OUTCOME-RULE-3', 'OUTCOME-RULE-4', 'OUTCOME-RULE-5', 'OUTCOME-RULE-7'],
  ...['OWNERSHIP-9', 'OWNERSHIP-10', 'OWNERSHIP-11', 'PARK-8', 'PARK-9', 'PARK-10', 'PARK-11', 'PARK-12', 'POD-3'],
  ...['POD-4', 'POD-5', 'POD-8', 'POD-10', 'POD-11', 'POD-12', 'POD-15', 'POD-16', 'QUEUE-1', 'QUEUE-2', 'QUEUE-3'],
  ...['QUEUE-7', 'REVIEW-1', 'REVIEW-2', 'REVIEW-3', 'REVIEW-4', 'SCHEDULE-1', 'SCHEDULE-3', 'SCHEDULE-4'],
  ...['SCHEDULE-5', 'SCHEDULE-6', 'SCHEDULE-7', 'SCHEDULE-9', 'STAGE-2', 'STAGE-6', 'STAGE-7', 'STAGE-11'],
  ...['STAGE-12', 'TURN-1', 'TURN-4', 'TURN-6', 'TURN-7', 'TURN-9', 'TURN-13', 'TURN-17', 'WORDS-3', 'WORDS-6'],
]

test('every rule about the machines is cited by the title of a test', () => {
  const found = cited(ruleId)
  expect(rules.filter((one) => !found.has(one))).toEqual([])
})

/** Those of the orchestrator's half that its edges and the wrapper uphold around the machines. */
const edgeRules = [
  ...['APPROVAL-3', 'APPROVAL-13', 'BUNDLE-RULE-1', 'GIT-6', 'INSPECTOR-RULE-1', 'LEDGER-3', 'MERGE-4', 'MERGE-6'],
  ...['MERGE-7', 'MERGE-8', 'OWNERSHIP-10', 'PEOPLE-3', 'PEOPLE-4', 'PEOPLE-6', 'RESOURCE-RULE-1', 'RESOURCE-RULE-2'],
  ...['RESOURCE-RULE-4', 'REVIEW-7', 'STAGE-3', 'TURN-2', 'WRAPPER-RULE-1'],
]

test('every rule about what surrounds the machines is cited by the title of a test', () => {
  const found = cited(ruleId, edgeTitles)
  expect(edgeRules.filter((one) => !found.has(one))).toEqual([])
})
