/** Code of a folder is run only where svc was used before, or after its user said so. Contract 12.4, decision 27. */
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isModule } from '../../seeds/read-seed.js'
import { codeNotAccepted, isCodeAccepted, rememberCode } from '../target/trust.js'

/** What stands for this folder where a seed of it is code; undefined where none is. */
export function findSeedModule(): string | undefined {
  const names = existsSync('seeds') ? readdirSync('seeds') : []
  return names.some(isModule) || existsSync('seed.ts') || existsSync('seed.js') ? placeHere() : undefined
}

/**
 * What lets a seed module be run, or refuses it.
 *
 * @param ask asks the user and rejects after a no; undefined where no prompt can be shown
 */
export function allowCode(ask: ((question: string) => Promise<void>) | undefined): (file: string) => Promise<void> {
  return async (file) => {
    const name = relative(process.cwd(), file)
    // Trust in a folder is trust in the folders in it.
    const place = name.startsWith('..') ? file : placeHere()
    if (isCodeAccepted(place)) return
    if (!ask) throw codeNotAccepted(name)
    await ask(`${name} is code, and svc was not used in this folder before. Run it?`)
    await rememberCode(place)
  }
}

function placeHere(): string {
  return join(process.cwd(), 'svc.json')
}
