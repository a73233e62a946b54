/** Installs the bench's peers, which are a separate package, when first needed. */
import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const folder = fileURLToPath(new URL('../peers/', import.meta.url))
const { resolve } = createRequire(`${folder}package.json`)

export function installPeers() {
  const installed = `${folder}node_modules/.package-lock.json`
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync(`${folder}package-lock.json`).mtimeMs) return
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
}

/** Returns the path of a peer's file that is not a module. @param {string} path */
export function peerFile(path) {
  return `${folder}node_modules/${path}`
}

/** @param {string} name @returns {Promise<any>} */
export async function peer(name) {
  return import(pathToFileURL(resolve(name)).href)
}
