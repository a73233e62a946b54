/** Runs code from a folder only if svc was used there before or the user agreed. Contract 12.4, decision 27. */
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isModule } from '../../seeds/read-seed.js'
import { codeNotAccepted, isCodeAccepted, rememberCode } from '../target/trust.js'

/** Returns this folder's path if one of its seeds is code. */
export function findSeedModule(): string | undefined {
  const names = existsSync('seeds') ? readdirSync('seeds') : []
  return names.some(isModule) || existsSync('seed.ts') || existsSync('seed.js') ? placeHere() : undefined
}

/**
 * Returns a check that allows a seed module to run, or throws.
 *
 * @param ask asks the user and rejects on "no"; undefined without a prompt
 */
export function allowCode(ask: ((question: string) => Promise<void>) | undefined): (file: string) => Promise<void> {
  return async (file) => {
    const name = relative(process.cwd(), file)
    // Trusting a folder includes its subfolders.
    const place = name.startsWith('..') ? file : placeHere()
    if (isCodeAccepted(place)) return
    if (!ask) throw codeNotAccepted(name)
    await ask(`${name} contains code, and you have not used svc in this folder before. Run it?`)
    await rememberCode(place)
  }
}

function placeHere(): string {
  return join(process.cwd(), 'svc.json')
}
