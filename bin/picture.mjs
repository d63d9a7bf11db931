#!/usr/bin/env node
// `npm run picture`: draws README's picture of the inspector anew.
import { onNode24, run } from './on-node-24.mjs'

const usage = `usage: npm run picture

Draws docs/inspector.png, the picture in README.md: a Task of the inspector's tests, as Chromium shows it. The file names the
states that it shows, and npm test compares them with the machine's. Needs Chromium in /usr/bin.`

const drawing = 'edges/inspector/browser/picture.browser.system.test.ts'

await onNode24(
  import.meta.url,
  () =>
    run('vitest', ['run', drawing], {
      env: { ...process.env, STATEWRIGHT_REQUIRE: 'chromium', PICTURE: 'docs/inspector.png' },
    }),
  usage,
)
