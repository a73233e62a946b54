/**
 * Hashes with bcrypt, using the fastest installed library. Both read and write the same hashes.
 * @typedef {object} Bcrypt
 * @property {'@node-rs/bcrypt' | 'bcryptjs'} name
 * @property {(password: string, cost: number) => string} hash
 * @property {(password: string, hash: string) => boolean} matches
 */

const importNativeBcrypt = () => import('@node-rs/bcrypt')

/**
 * Names the library for callers that hash nothing. Loads the native one.
 * @returns {Promise<Bcrypt['name']>}
 */
export function bcryptName(importNative = importNativeBcrypt) {
  return importNative().then(
    () => '@node-rs/bcrypt',
    () => 'bcryptjs',
  )
}

/**
 * Loads `@node-rs/bcrypt` if it is installed and runs on this machine, else bcryptjs.
 * @param {() => Promise<typeof import('@node-rs/bcrypt')>} importNative
 * @returns {Promise<Bcrypt>}
 */
export async function loadBcrypt(importNative = importNativeBcrypt) {
  const inJavaScript = await loadBcryptjs()
  const native = await importNative().catch(() => undefined)
  if (!native) return inJavaScript
  return {
    name: '@node-rs/bcrypt',
    // The two libraries encode invalid Unicode differently.
    hash: (password, cost) =>
      isUnicode(password) ? native.hashSync(password, cost) : inJavaScript.hash(password, cost),
    matches: (password, hash) =>
      isUnicode(password) ? native.verifySync(password, hash) : inJavaScript.matches(password, hash),
  }
}

/** @returns {Promise<Bcrypt>} */
async function loadBcryptjs() {
  const { default: bcrypt } = await import('bcryptjs')
  return { name: 'bcryptjs', hash: bcrypt.hashSync, matches: bcrypt.compareSync }
}

/** Whether every surrogate is part of a pair. */
function isUnicode(/** @type {string} */ text) {
  return !/\p{Surrogate}/u.test(text)
}
