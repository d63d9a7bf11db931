/** `npm run rooms -- --help`: which room imports which, as a drawing of Mermaid. */
import { join, resolve } from 'node:path'
import { readOptions, refuseCall } from '../options.ts'
import { arrowsOf, drawn } from './arrows.ts'
import { readHouse } from '../architecture/house.ts'
import { isTest } from '../architecture/layout.ts'

const usage = `usage: npm run rooms -- [options]

Draws which room imports which, as a flowchart of Mermaid with the number of imports on each arrow. Arrows of a circle are dotted.
The rooms are the folders of the tree. What only tests import is left out.

  --in FOLDER   draw the rooms of this folder
  --tests       count what tests and their kits import too
  --root DIR    read another checkout, as an earlier commit
  --json        print the arrows as one line of JSON

Example: npm run rooms -- --in edges/kubernetes`

const given = readOptions(usage, {
  in: { type: 'string', default: '' },
  tests: { type: 'boolean', default: false },
  root: { type: 'string', default: join(import.meta.dirname, '../..') },
  json: { type: 'boolean', default: false },
})
const folder = given.in === '' ? '' : `${given.in.replace(/\/+$/, '')}/`
const files = readHouse(resolve(given.root)).files.filter(({ path }) => given.tests || !isTest(path))
if (!files.some(({ path }) => path.startsWith(folder))) refuseCall(usage, `${given.in} holds no file of TypeScript`)
const arrows = arrowsOf(files, folder)
console.log(given.json ? JSON.stringify({ rooms: arrows }) : drawn(arrows))
