/**
 * `npm run steady`: whether the tests pass on any machine. The whole suite twice, then once beside 4 busy processes; then the
 * files that wait for something or depend on time, 20 times each beside 12. Says which test is flaky, and after each run why,
 * so that a run which is interrupted has printed its findings.
 *
 * `npm run steady -- --passes 1 --load 2 --times 5 --beside 12 [file …]` for less, or for other files. With `--at-once 4` four of
 * the 20 run at a time and are one another's load, which takes a tenth of the time: what they do not make up for is computed beside them.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    passes: { type: 'string', default: '2' },
    load: { type: 'string', default: '4' },
    times: { type: 'string', default: '20' },
    beside: { type: 'string', default: '12' },
    'at-once': { type: 'string', default: '1' },
  },
})

/** Test files that one run has at work, as vitest.config.ts says. */
const workers = availableParallelism() + 1

/** Of each test, by file and title: in which runs it failed. @type {Map<string, string[]>} */
const failures = new Map()
let ran = 0

/** Matches the source of a file that waits or depends on time. */
const aboutTime = /patiently|expect\.poll|useFakeTimers|setTimeout\(|pause\(|Date\.now|mostMilliseconds|\.clock\b/

const waiting = positionals.length > 0 ? positionals : filesAboutTime()
execFileSync(process.execPath, [join(root, 'scripts/build.js'), '--if-stale'], { stdio: 'inherit' })
for (let pass = 1; pass <= Number(values.passes); pass++) await run(`pass ${pass}`, [], 0)
if (Number(values.load) > 0) await run(`beside ${values.load}`, [], Number(values.load))
const atOnce = Number(values['at-once'])
for (let time = 1; time <= Number(values.times); time += atOnce) {
  const last = Math.min(time + atOnce - 1, Number(values.times))
  const computing = Math.max(0, Number(values.beside) - workers * (last - time))
  await Promise.all(
    Array.from({ length: last - time + 1 }, (_, at) =>
      run(`time ${time + at} beside ${values.beside}`, waiting, at === 0 ? computing : 0),
    ),
  )
}

for (const [test, runs] of failures) console.log(`wavered: ${test} (${runs.join(', ')})`)
console.log(`${ran - failures.size} passed, ${failures.size} failed`)
process.exitCode = failures.size > 0 ? 1 : 0

/** One run of these test files, or of all, beside so many processes that do nothing but compute. @param {string} name @param {string[]} files @param {number} load */
async function run(name, files, load) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-steady-'))
  const report = join(folder, 'tests.json')
  const busy = Array.from({ length: load }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  const end = () => {
    for (const child of busy) child.kill('SIGKILL')
  }
  process.once('exit', end)
  try {
    const begunAt = performance.now()
    const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...files]
    const child = spawn(process.execPath, [...vitest, '--reporter=json', `--outputFile=${report}`], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await new Promise((resolve) => child.once('exit', resolve))
    if (existsSync(report)) note(name, JSON.parse(readFileSync(report, 'utf8')))
    else fail('the run itself', name, ['It ended without a report.'])
    console.log(`${name}: ${Math.round((performance.now() - begunAt) / 1_000)} s`)
  } finally {
    end()
    process.off('exit', end)
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} name
 * @param {{ testResults: { name: string, status: string, message?: string, assertionResults: { fullName: string, status: string, failureMessages?: string[] }[] }[] }} report
 */
function note(name, { testResults }) {
  const seen = new Set()
  for (const file of testResults) {
    const path = relative(root, file.name)
    const { assertionResults: tests, message } = file
    if (tests.length === 0 && file.status === 'failed') fail(`${path}: the file itself`, name, message ? [message] : [])
    for (const { fullName, status, failureMessages } of tests) {
      seen.add(`${path}: ${fullName}`)
      if (status === 'failed') fail(`${path}: ${fullName}`, name, failureMessages)
    }
  }
  ran = Math.max(ran, seen.size)
}

/** @param {string} test @param {string} run @param {string[]} [messages] */
function fail(test, run, messages = []) {
  console.log(`failed: ${test}`)
  for (const message of messages) console.log(message.replace(/^/gm, '    '))
  failures.set(test, [...(failures.get(test) ?? []), run])
}

function filesAboutTime() {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  return files
    .map((file) => join('test', file))
    .filter((file) => file.endsWith('.test.ts') && aboutTime.test(readFileSync(join(root, file), 'utf8')))
}
