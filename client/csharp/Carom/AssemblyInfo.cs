// The tests see the inside.

using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Carom.Tests")]
