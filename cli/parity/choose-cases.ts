/** Chooses the cases of a run: built in, and those of the folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { capabilities, looks, ownAxes, type ParityCase, senders } from './case.js'
import { builtIn } from './cases/index.js'

const folderName = 'parity'

const step = z.strictObject({
  method: z.string().regex(/^[A-Z]+$/),
  path: z.string().startsWith('/'),
  body: z.json().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  as: z.enum(senders).optional(),
  bind: z.string().optional(),
})

const ownCase = z.strictObject({
  id: z.string().regex(/^[\w.-]+$/),
  axis: z.string().min(1).optional(),
  needs: z.array(z.enum(capabilities)).optional(),
  steps: z.array(step).min(1),
  compare: z.array(z.enum(looks)).min(1),
  change: z.string().optional(),
})

/**
 * @param groups axes or subjects, separated by commas
 * @throws {CliFailure} for an unknown group, or an invalid file of the folder
 */
export function chooseCases(folder: string, groups: string | undefined): readonly ParityCase[] {
  const all = [...builtIn, ...ownCases(folder)]
  if (groups === undefined) return all
  const wanted = groups.split(',')
  const known = [...new Set(all.map(({ axis }) => axis))]
  const unknown = wanted.find((name) => !known.includes(name))
  if (unknown !== undefined) throw misuse(`Unknown group "${unknown}".`, `Known: ${known.join(', ')}.`)
  return all.filter(({ axis }) => wanted.includes(axis))
}

function ownCases(folder: string): ParityCase[] {
  const own = join(folder, folderName)
  if (!existsSync(own)) return []
  const files = readdirSync(own)
    .filter((name) => name.endsWith('.json'))
    .sort()
  return files.flatMap((name) => readCases(join(own, name), `${folderName}/${name}`))
}

function readCases(file: string, shown: string): ParityCase[] {
  const parsed = z.array(ownCase).safeParse(parse(readFileSync(file, 'utf8'), shown))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw invalid(shown, `"${issue?.path.join('.')}": ${issue?.message}`)
  }
  for (const one of parsed.data) refuseStrangers(one, shown)
  return parsed.data.map((one) => ({ axis: ownAxes.folder, ...defined(one) }))
}

/** A case may only write to collections and users of the run, since nothing else is cleaned up. */
function refuseStrangers({ id, steps }: z.output<typeof ownCase>, shown: string): void {
  const isOwn = (path: string) =>
    /^(\/api)?\/collections\/\{(fresh|rows|many)\}|^\/collections\/documents\?collection=\{fresh\}|^\/auth/.test(path)
  const stray = steps.find(({ method, path, body }) => {
    const makesOwn = path === '/collections' && JSON.stringify(body ?? null).includes('"name":"{fresh}')
    return method !== 'GET' && !isOwn(path) && !makesOwn
  })
  if (stray) throw invalid(shown, `"${id}" writes to ${stray.path}. Use the collection {fresh}.`)
}

function defined(one: z.output<typeof ownCase>): Omit<ParityCase, 'axis'> {
  return JSON.parse(JSON.stringify(one))
}

function parse(text: string, shown: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(shown, 'It is not valid JSON.')
  }
}

function invalid(shown: string, why: string): CliFailure {
  const hint = 'A file holds a list of cases: [{"id": "posts.list", "steps": […], "compare": ["rows"]}].'
  return new CliFailure('INVALID_FILE', exits.invalid, `${shown} is invalid. ${why}`, hint)
}
