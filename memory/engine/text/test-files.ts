/** Where the runners of each language look for tests, and what they keep beside them. */
const testFiles = [
  /(?:^|\/)(?:tests?|test-d|__tests__|__mocks__|__fixtures__|testdata|e2e)\//,
  /(?:^|[/._-])tests?\.(?:[cm]?[jt]sx?|rs)$/,
  /[._-]spec\.[cm]?[jt]sx?$/,
  /\.test-d\.tsx?$/,
  /(?:^|\/)(?:test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$/,
  /_test\.(?:go|c|cc|cpp|cxx)$/,
  /[a-z\d]Tests?\.java$/,
]

export function isTestFile(path: string): boolean {
  return testFiles.some((file) => file.test(path))
}
