/** Folder of the emulator's files. The bundler keeps this module with them, so that the URL stays correct. */
export const ownFolder = new URL('../', import.meta.url)
