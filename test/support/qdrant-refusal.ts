/** An answer other than 200, as Qdrant words it. */
export class QdrantRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
