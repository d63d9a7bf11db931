import { expect, test } from 'vitest'
import { commandVariablesOf } from './command-variables.ts'

const env = {
  GOFLAGS: '-mod=mod',
  EMPTY: '',
  PATH: '/planted',
  PLATFORM_TASK: 'another',
  MODEL_PROVIDER_API_KEY: 'a-key',
  MODEL_PROVIDER_API_KEY_FILE: '/a/key',
  CLAUDECODE: '0',
  KUBERNETES_SERVICE_HOST: '10.0.0.1',
  HOSTNAME: 'pod',
  POD_IP: '10.0.0.2',
  'no.name': 'x',
}

test('commands see the variables that are named, and none that is another party’s (POD-ENV-19)', () => {
  expect(commandVariablesOf(env, 'GOFLAGS, EMPTY')).toEqual({ GOFLAGS: '-mod=mod', EMPTY: '' })
  expect(commandVariablesOf(env, Object.keys(env).join())).toEqual({ GOFLAGS: '-mod=mod', EMPTY: '' })
  expect(commandVariablesOf(env, 'ABSENT')).toEqual({})
})

test('commands see no variable of the wrapper where none is named, and all free ones by a star (POD-ENV-19)', () => {
  expect(commandVariablesOf(env, '')).toEqual({})
  expect(commandVariablesOf(env, '*')).toEqual({ GOFLAGS: '-mod=mod', EMPTY: '' })
})
