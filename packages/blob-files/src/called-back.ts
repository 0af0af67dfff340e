import fs from "node:fs";

type Done<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

function calledBack<T>(call: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      if (error === null) resolve(value);
      else reject(error);
    });
  });
}

/** Reads without `fs.promises`, which loads Node's line editor and its history: that takes longer than all reads of a hook. */
export const calledBackFiles = {
  /** Does not follow links. */
  lstat: (file: string): Promise<fs.Stats> => calledBack((done) => fs.lstat(file, done)),
  realpath: (file: string): Promise<string> => calledBack((done) => fs.realpath.native(file, done)),
  open: (file: string, flags: number): Promise<number> => calledBack((done) => fs.open(file, flags, done)),
  fstat: (fd: number): Promise<fs.Stats> => calledBack((done) => fs.fstat(fd, done)),
  /** Fills the rest of the buffer, and returns the number of bytes read. */
  read: (fd: number, buffer: Buffer, from: number): Promise<number> =>
    calledBack((done) => fs.read(fd, buffer, from, buffer.length - from, null, done)),
};
