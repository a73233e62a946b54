/** Imports a module of the built package. The caller declares its type. @param {string} path @returns {Promise<any>} */
export function built(path) {
  return import(new URL(`../../dist/${path}`, import.meta.url).href)
}
