import { expect, test } from 'vitest'
import { mountsOf } from './mounts.ts'

const volumes = { state: { folder: '/v/state', readOnly: false }, secret: { folder: '/v/secret', readOnly: true } }

test('an outer mount comes before one inside it; files of the kubelet are read-only', () => {
  const volumeMounts = [
    { name: 'secret', mountPath: '/platform/state/deep' },
    { name: 'state', mountPath: '/platform/state', subPath: 'a/b' },
    { name: 'state', mountPath: '/read', readOnly: true, subPathExpr: '$(NAME)/x' },
  ]
  expect(mountsOf({ volumeMounts }, volumes, { NAME: 'task' })).toEqual([
    { source: '/v/state/task/x', target: '/read', readOnly: true },
    { source: '/v/state/a/b', target: '/platform/state', readOnly: false },
    { source: '/v/secret', target: '/platform/state/deep', readOnly: true },
  ])
})

test.each([
  ['../other', 'without'],
  ['/etc', 'relative'],
])('a path of a volume stays in it: %s', (subPath, why) => {
  expect(() => mountsOf({ volumeMounts: [{ name: 'state', mountPath: '/a', subPath }] }, volumes, {})).toThrow(why)
})

test('an unknown volume and an unknown variable are faults of the pod', () => {
  expect(() => mountsOf({ volumeMounts: [{ name: 'none', mountPath: '/a' }] }, volumes, {})).toThrow(
    'cannot find volume',
  )
  const volumeMounts = [{ name: 'state', mountPath: '/a', subPathExpr: '$(NOBODY)' }]
  expect(() => mountsOf({ volumeMounts }, volumes, {})).toThrow('missing value')
})
