import { describe, expect, it } from 'vitest'
import { optionsFrom } from './options.ts'

const options = {
  seeds: { type: 'string', default: '100' },
  seconds: { type: 'string', default: 'Infinity' },
  json: { type: 'boolean', default: false },
  bug: { type: 'string' },
} as const
const read = (...given: string[]): unknown => optionsFrom(given, options, ['seeds', 'seconds'])

describe('the options of a script', () => {
  it('takes defaults where nothing is given, whatever they are', () => {
    expect(read()).toEqual({ values: { seeds: '100', seconds: 'Infinity', json: false } })
  })

  it('refuses a text where a whole number belongs, because a loop of NaN rounds passes', () => {
    expect(read('--seeds', 'x')).toEqual({ fault: '--seeds takes a whole number, not x' })
    expect(read('--seconds', '1.5')).toEqual({ fault: '--seconds takes a whole number, not 1.5' })
    expect(read('--seeds=-3')).toEqual({ fault: '--seeds takes a whole number, not -3' })
    expect(read('--seeds', '3', '--bug', 'x')).toEqual({
      values: { seeds: '3', seconds: 'Infinity', json: false, bug: 'x' },
    })
  })

  it('refuses an option that it does not know, and a word beside the options', () => {
    expect(read('--sead', '3')).toEqual({ fault: expect.stringContaining("Unknown option '--sead'") })
    expect(read('three')).toEqual({ fault: expect.stringContaining('three') })
  })

  it('prints the usage for whoever asks, whatever else is given', () => {
    expect(read('--sead', '--help')).toEqual({ wantsHelp: true })
    expect(read('-h')).toEqual({ wantsHelp: true })
  })
})
