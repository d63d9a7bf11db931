import { expect, test } from 'vitest'
import { crashPoints, forgeCall, leftOut, stackCall, stackPoints } from './points.ts'

const project = '/api/v4/projects/acme%2Flibrary'
const known = new Set(crashPoints)

test.each([
  ['GET', `${project}/issues?order_by=updated_at`, 'GET issues'],
  ['PUT', `${project}/issues/3`, 'PATCH issues'],
  ['POST', `${project}/issues/3/notes`, 'POST comments'],
  ['PUT', `${project}/merge_requests/3/notes/1007`, 'PATCH comments'],
  ['GET', `${project}/merge_requests/3`, 'GET pulls'],
  ['PUT', `${project}/merge_requests/3/merge`, 'PUT merge'],
  ['GET', `${project}/merge_requests/3/discussions`, 'GET reviews'],
  ['GET', `${project}/merge_requests/3/draft_notes`, 'GET reviews'],
  ['POST', `${project}/merge_requests/3/draft_notes`, 'POST drafts'],
  ['DELETE', `${project}/merge_requests/3/draft_notes/1008`, 'DELETE drafts'],
  ['POST', `${project}/merge_requests/3/draft_notes/bulk_publish`, 'POST reviews'],
  ['DELETE', `${project}/repository/branches/platform%2Fone`, 'DELETE refs'],
  ['GET', `${project}/pipelines?sha=1`, 'GET repository'],
  ['GET', `${project}/labels`, 'labels'],
  ['POST', '/graphql', 'GET comments'],
  ['POST', `${project}/hooks/7/events/9/resend`, 'hooks'],
])('a life can die around %s %s, which is called %s', (method, path, call) => {
  expect(forgeCall(method, path)).toBe(call)
  expect(known).toContain(`forge ${call}: not done`)
})

test.each([
  ['GET', 'apps/v1', 'deployments/memory-demo', false, 'read'],
  ['PATCH', 'apps/v1', 'statefulsets/mempg-demo', true, 'apply StatefulSet'],
  ['PATCH', 'postgresql.cnpg.io/v1', 'clusters/mem-demo', false, 'change Cluster'],
  ['POST', 'v1', 'persistentvolumeclaims', false, 'make PersistentVolumeClaim'],
  ['DELETE', 'v1', 'services/memory-demo', false, 'delete Service'],
])('a life can die around %s %s %s, apply %s, which is called %s', (method, version, name, isApply, call) => {
  expect(stackCall(method, `/apis/${version}/namespaces/default/${name}`, isApply)).toBe(call)
  expect(stackPoints).toContain(`stack ${call}: not done`)
})

test('each reason to leave points out leaves some out, and a function with a type of its own has points', () => {
  for (const [needs, count] of leftOut) expect(count, String(needs)).toBeGreaterThan(0)
  expect(known).toContain('sql forge/mirror/store/subjects loadSubject: not done')
})
