"""The commands of Find: questions asked of the library, and how well that works on judged collections."""
