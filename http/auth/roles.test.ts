import { expect, test } from 'vitest'
import { everyTokenIsAdmin, rightsOf, type RoleSettings } from './roles.ts'

const settings: RoleSettings = {
  claim: 'groups',
  values: { viewer: ['staff'], operator: ['on-call'], author: ['planners'], admin: ['platform team'] },
  owners: { 'shop/cart': ['cart-team'], 'default/cart': ['other-team'] },
}

function rights(claims: object, given: Partial<RoleSettings> = {}): readonly string[] {
  const { roles, owned } = rightsOf({ ...settings, ...given }, { claims: claims as Record<string, unknown> })
  return [...roles, ...[...owned].map((project) => `owner of ${project}`)].toSorted()
}

test.each([
  ['staff', ['viewer']],
  ['on-call', ['operator', 'viewer']],
  ['planners', ['author', 'viewer']],
  ['platform team', ['admin', 'author', 'operator', 'viewer']],
  ['cart-team', ['owner of shop/cart']],
  ['nobody', []],
])('the value %s gives %j and no more (ORCHESTRATOR-API-5)', (value, expected) => {
  expect(rights({ groups: [value] })).toEqual(expected)
})

test('several values add up', () => {
  expect(rights({ groups: ['on-call', 'planners', 'cart-team'] })).toEqual([
    'author',
    'operator',
    'owner of shop/cart',
    'viewer',
  ])
})

test.each([
  ['a text as a whole', { groups: 'platform team' }, ['admin', 'author', 'operator', 'viewer']],
  ['no word of a text', { groups: 'staff on-call' }, []],
  ['names of an object', { groups: { staff: { org: 'acme.example' } } }, ['viewer']],
  ['no number', { groups: [7, null, ['staff']] }, []],
  ['no claim', {}, []],
  ['another claim', { roles: ['platform team'] }, []],
])('the claim counts as %s', (_what, claims, expected) => {
  expect(rights(claims)).toEqual(expected)
})

test('a claim is found by its whole name, else by its path', () => {
  const nested = { realm_access: { roles: ['staff'] } }
  expect(rights(nested, { claim: 'realm_access.roles' })).toEqual(['viewer'])
  const named = { 'https://acme.example/roles': ['staff'] }
  expect(rights(named, { claim: 'https://acme.example/roles' })).toEqual(['viewer'])
})

test.each(['__proto__', 'constructor.name', 'groups.length', 'toString'])(
  'the path %s finds nothing inherited',
  (claim) => {
    const values = { viewer: ['Object', 'Array', '1', 'toString', 'constructor'] }
    expect(rights({ groups: ['staff'] }, { claim, values })).toEqual([])
  },
)

test('without a claim every token is an admin’s', () => {
  expect([...rightsOf(everyTokenIsAdmin, { claims: {} }).roles]).toContain('admin')
})
