/** A module of what is shipped; the caller says its type. @param {string} path @returns {Promise<any>} */
export function built(path) {
  return import(new URL(`../../dist/${path}`, import.meta.url).href)
}
