import { resolve } from 'node:path'

/**
 * What a run of vitest was asked for and is no test, a sentence each: vitest itself says nothing as long as another file ran.
 * `filter` and `title` are its own words: parts of paths, and the pattern of `-t`.
 */
export function missedTests({ testResults = [] }, filter, title) {
  const paths = testResults.map(({ name }) => name.toLowerCase())
  const isMissing = (one) => {
    // A line may follow the path, behind a colon.
    const part = one.replace(/:\d+$/, '')
    const parts = [part, resolve(part)].map((each) => each.toLowerCase())
    return !paths.some((path) => parts.some((each) => path.includes(each)))
  }
  const hasRun = testResults.some(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'passed' || status === 'failed'),
  )
  return [
    ...filter.filter(isMissing).map((one) => `no test file that ran has ${one} in its path`),
    ...(title === undefined || hasRun ? [] : [`no test that ran has a title that matches ${title}`]),
  ]
}
