import { expect, test } from 'vitest'
import { pinsOf } from './unpinned.ts'

const faultsOf = (source: string): readonly (string | undefined)[] => pinsOf(source).map(({ fault }) => fault)
const aProject = (agent: string): string =>
  `apiVersion: platform.dev/v1alpha1\nkind: Project\nmetadata: {name: demo}\nspec:\n  agent: ${agent}\n`

test.each([
  ['a Project', aProject('{skillsRef: v1.2.3, image: "ghcr.io/acme/own-wrapper:v4.0.0"}'), 2],
  [
    'a digest behind the tag',
    aProject(`{skillsRef: v1.2.3, image: "registry:5000/w:v1.0.0@sha256:${'a'.repeat(64)}"}`),
    2,
  ],
  ['the image in values', 'wrapper:\n  repository: ghcr.io/acme/statewright-wrapper\n  tag: v0.10.0\n', 1],
  [
    'a container',
    'containers:\n  - image: ghcr.io/acme/statewright-wrapper:v1.0.0\n    env: [{name: SKILLS_REF, value: v2.0.0}]\n',
    2,
  ],
])('%s that names releases passes', (_what, source, count) => {
  expect(faultsOf(source)).toEqual(Array.from({ length: count }, () => undefined))
})

test.each([
  ['a branch', aProject('{skillsRef: main}'), '`main` is not a release tag'],
  ['a commit', aProject(`{skillsRef: ${'1'.repeat(39)}a}`), 'is not a release tag'],
  ['a version without its v', aProject('{skillsRef: 1.2.3}'), '`1.2.3` is not'],
  ['a pre-release', aProject('{skillsRef: v1.2.3-rc.1}'), 'is not a release tag'],
  ['a part of a version', aProject('{skillsRef: v1.2}'), 'is not a release tag'],
  ['nothing', aProject('{skillsRef: ""}'), 'no tag is not'],
  ['a Project that says nothing of it', aProject('{model: m}'), 'so it uses `main`'],
  ['an image without a tag', aProject('{skillsRef: v1.0.0, image: registry:5000/acme/w}'), 'no tag is not'],
  ['latest', 'image: ghcr.io/acme/statewright-wrapper:latest\n', '`latest` is not'],
  ['a digest alone', `image: statewright-wrapper@sha256:${'a'.repeat(64)}\n`, 'no tag is not'],
  ['values without a tag', 'repository: statewright-wrapper\n', 'no tag is not'],
  ['the chart’s image, another tag alone', 'wrapperImage:\n  tag: main\n', '`main` is not'],
  ['an own image for the chart', 'wrapperImage: {repository: ghcr.io/acme/own, tag: latest}\n', '`latest` is not'],
  ['a variable', 'env:\n  - name: SKILLS_REF\n    value: main\n', '`main` is not'],
  ['a template that is no YAML', '{{ if .x }}\nskillsRef: {{ .Values.ref }}\n{{ end }}\n', 'cannot be parsed'],
])('%s is told (PROJECT-AGENT-16)', (_what, source, complaint) => {
  expect(faultsOf(source).filter(Boolean).join('\n')).toContain(complaint)
})

test.each([
  ['the chart’s image as the chart names it', 'wrapperImage: {pullPolicy: Always}\n'],
  ['another image', 'image: postgres:latest\n'],
  ['a Project of somebody else', 'apiVersion: argoproj.io/v1\nkind: Project\nspec: {agent: {}}\n'],
  ['a template that speaks of no pin', '{{ if .x }}\na: {{ .y }}\n'],
  ['nothing at all', ''],
])('%s is none of its business', (_what, source) => {
  expect(pinsOf(source)).toEqual([])
})

test('each is told with its line, in every document of a file', () => {
  const source = `${aProject('\n    model: m\n    skillsRef: v1.0.0')}---\n${aProject('\n    model: m\n    skillsRef: main')}`
  expect(pinsOf(source).map(({ line, value }) => [line, value])).toEqual([
    [7, 'v1.0.0'],
    [15, 'main'],
  ])
})
